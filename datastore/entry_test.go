package datastore

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdleTimeAndFrequencyAreIndependent(t *testing.T) {
	s := New(Options{})
	s.Limits().LFUDecayTime = 0
	s.SetNow(100_000_000_000)
	db := s.DB(0)
	e := db.SetString("k", "v", false)
	require.EqualValues(t, newKeyFreq, s.Freq(e))
	e.SetFreq(255)
	s.SetNow(103_500_000_000)
	require.EqualValues(t, 3_500_000, e.Idle(s.Now()))
	require.EqualValues(t, 255, s.Freq(e))
	e.SetIdle(10, s.Now())
	require.EqualValues(t, 10_000, e.Idle(s.Now()))
	require.EqualValues(t, 255, s.Freq(e))
	db.Lookup("k")
	require.Zero(t, e.Idle(s.Now()))
	require.EqualValues(t, 255, s.Freq(e))
	e.SetFreq(0)
	require.Zero(t, e.Idle(s.Now()))
	require.Zero(t, s.Freq(e))
}

// The 24-bit clock wraps around between the access and the call of Idle.
func TestIdleTimeWhenTheClockWrapsAround(t *testing.T) {
	s := New(Options{})
	s.SetNow((lruClockMax - 1) * 1_000_000)
	e := s.DB(0).SetString("k", "v", false)
	s.SetNow((lruClockMax + 4) * 1_000_000)
	require.EqualValues(t, 4_000, e.Idle(s.Now()), "Redis's turn of the clock counts one second less")
}

func TestAccessesAreCounted(t *testing.T) {
	s := New(Options{Rand: rand.NewPCG(1, 2)})
	s.SetNow(100_000_000_000)
	db := s.DB(0)
	e := db.SetString("k", "v", false)
	db.Lookup("k")
	require.EqualValues(t, newKeyFreq, s.Freq(e), "no LFU policy")
	s.Limits().LFU = true
	db.Lookup("k")
	require.EqualValues(t, newKeyFreq+1, s.Freq(e), "a new key's first access always counts")
	for range 1_000_000 {
		db.Lookup("k")
	}
	// Redis's documentation of lfu-log-factor 10: 1,000 hits make 18, 100,000 make 142, a million
	// makes 255.
	require.EqualValues(t, 255, s.Freq(e))
	e.SetFreq(newKeyFreq)
	for range 100_000 {
		db.Lookup("k")
	}
	require.InDelta(t, 142, int(s.Freq(e)), 20)
	before := s.Freq(e)
	s.SetNow(s.NowMicros() + 150_000_000) // 2.5 minutes
	require.Equal(t, before-2, s.Freq(e))
	s.Limits().LFUDecayTime = 2
	require.Equal(t, before-1, s.Freq(e))
	s.SetNow(s.NowMicros() + 600*60_000_000)
	require.Zero(t, s.Freq(e))
	db.Lookup("k")
	require.EqualValues(t, 1, s.Freq(e))
}
