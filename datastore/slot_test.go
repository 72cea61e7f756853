package datastore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlot(t *testing.T) {
	for key, slot := range map[string]int{
		"":          0,
		"123456789": 0x31c3, // the check value of CRC16/XMODEM
		"foo":       12182,
		"{foo}bar":  12182,
		"a{foo}bar": 12182,
		"{foo}{b}":  12182,
		"{foo}}":    12182,
	} {
		require.Equal(t, slot, Slot(key), key)
	}
	require.Equal(t, Slot("{bar"), Slot("foo{{bar}zap"))
	for _, whole := range []string{"{}foo", "foo{}{bar}", "{foo", "foo}", "}foo{", "}{"} {
		crc := uint16(0)
		for _, c := range []byte(whole) {
			crc ^= uint16(c) << 8
			for range 8 {
				if carry := crc&0x8000 != 0; carry {
					crc = crc<<1 ^ 0x1021
				} else {
					crc <<= 1
				}
			}
		}
		require.Equal(t, int(crc)%Slots, Slot(whole), whole)
	}
}

func TestSlotCacheIsSlot(t *testing.T) {
	var c SlotCache
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		key := make([]byte, rng.IntN(6))
		for i := range key {
			key[i] = "ab{}"[rng.IntN(4)]
		}
		text := string(key)
		if rng.IntN(10) == 0 {
			text = strings.Repeat("x", 55+rng.IntN(10)) + text
		}
		require.Equal(t, Slot(text), c.Slot(text), text)
	}
}

func TestKeysInSlot(t *testing.T) {
	s := New(Options{})
	s.SetNow(1e9)
	db := s.DB(0)
	db.SetString("{x}before", "1", false)
	db.IndexSlots()
	db.SetString("{x}1", "1", false)
	db.Put("{x}2", NewString("2"))
	db.SetString("y", "3", false)
	x, y := Slot("x"), Slot("y")
	require.Equal(t, []string{"{x}2", "{x}1", "{x}before"}, db.KeysInSlot(x, 10))
	require.Equal(t, []string{"{x}2"}, db.KeysInSlot(x, 1))
	require.Empty(t, db.KeysInSlot(x, 0))
	require.Equal(t, 1, db.CountKeysInSlot(y))
	db.SetString("{x}1", "again", false) // keeps its place
	db.Delete("{x}2")
	require.Equal(t, []string{"{x}1", "{x}before"}, db.KeysInSlot(x, 10))
	db.SetExpire(db.Peek("{x}before"), s.Now()+1)
	s.SetNow(s.NowMicros() + 2000)
	require.Equal(t, 2, db.CountKeysInSlot(x))
	s.ExpireCycle(10)
	require.Equal(t, []string{"{x}1"}, db.KeysInSlot(x, 10))
	require.NoError(t, s.Check())
	db.Flush()
	require.Zero(t, db.CountKeysInSlot(x)+db.CountKeysInSlot(y))
	require.NoError(t, s.Check())
}
