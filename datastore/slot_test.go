package datastore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
