package datastore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdleTimeAndFrequencyAreApart(t *testing.T) {
	s := New(Options{})
	s.SetNow(100_000_000_000)
	db := s.DB(0)
	e := db.SetString("k", "v", false)
	require.EqualValues(t, newKeyFreq, e.Freq())
	e.SetFreq(255)
	s.SetNow(103_500_000_000)
	require.EqualValues(t, 3_500_000, e.Idle(s.Now()))
	require.EqualValues(t, 255, e.Freq())
	e.SetIdle(10, s.Now())
	require.EqualValues(t, 10_000, e.Idle(s.Now()))
	require.EqualValues(t, 255, e.Freq())
	db.Lookup("k")
	require.Zero(t, e.Idle(s.Now()))
	require.EqualValues(t, 255, e.Freq())
	e.SetFreq(0)
	require.Zero(t, e.Idle(s.Now()))
	require.Zero(t, e.Freq())
}

// The clock of 24 bits turns around between the access and the question.
func TestIdleTimeOverTheEndOfTheClock(t *testing.T) {
	s := New(Options{})
	s.SetNow((lruClockMax - 1) * 1_000_000)
	e := s.DB(0).SetString("k", "v", false)
	s.SetNow((lruClockMax + 4) * 1_000_000)
	require.EqualValues(t, 4_000, e.Idle(s.Now()), "Redis's turn of the clock counts one second less")
}
