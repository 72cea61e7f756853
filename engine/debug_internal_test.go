package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAStopIsNoTimeOfTheScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{})
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, e.onLoop(func() {
			w := &e.watch
			w.runs++
			w.seen, w.since = w.runs, time.Now()
			h := heldDebugger{e: e}
			before := w.since
			h.since(time.Now().Add(-time.Hour))
			require.Equal(t, time.Hour, w.since.Sub(before))
			before = w.since
			h.since(time.Now())
			require.Equal(t, before, w.since)
			w.runs++ // attend has not seen this run yet, so its time does not count yet
			h.since(time.Now().Add(-time.Hour))
			require.Equal(t, before, w.since)
		}))
	})
}
