package server

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountersAreMadeWhenTheyAreNeeded(t *testing.T) {
	c := newCallStats(10)
	require.Zero(t, c.Peek(9))
	for _, page := range c.pages {
		require.Nil(t, page)
	}
	st := c.Of(9)
	st.Calls, c.Of(0).Failed = 3, 1
	require.Same(t, st, c.Of(9))
	require.EqualValues(t, 3, c.Peek(9).Calls)
	require.Zero(t, c.Peek(8))
	require.EqualValues(t, 1, c.Peek(0).Failed)
	c.Reset()
	require.Zero(t, c.Peek(9))
	require.Same(t, st, c.Of(9), "who resets the counters is still to be counted")
}

// A histogram has the same counts whether they are in a list or in rows.
func TestHistogramsOfManyDurations(t *testing.T) {
	type visit struct{ least, greatest, count int64 }
	visits := func(h *histogram) (all []visit) {
		h.walk(func(least, greatest, count int64) bool {
			all = append(all, visit{least, greatest, count})
			return true
		})
		return all
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var list, rows histogram
		rows.steps = new([histogramSize]*[histogramSteps]int64)
		for range r.IntN(60) {
			micros, weight := r.Int64N(1<<r.IntN(22)), 1+r.Int64N(16)
			list.add(micros, weight)
			rows.add(micros, weight)
			require.Equal(t, visits(&rows), visits(&list))
		}
		require.Equal(t, rows.total, list.total)
		require.Equal(t, list.steps == nil, len(list.few) > 0 || list.total == list.zero)
		require.Equal(t, rows.percentile(50), list.percentile(50))
	}
}
