package meter_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/meter"
)

func TestWindowsAddUpToTheTotal(t *testing.T) {
	const workers, calls = 8, 2000
	m := meter.New(workers)
	require.Zero(t, m.Window().Quantile(0.5))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for n := range calls {
				c := meter.Counts{Grabbed: 1, Cents: int64(n)}
				if n%4 == 3 {
					c = meter.Counts{Refused: 1}
				}
				m.Worker(i).Note(time.Duration(n)*time.Microsecond, c)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	var windows meter.Counts
	for end := false; !end; {
		select {
		case <-done:
			end = true
		default:
		}
		w := m.Window()
		windows.Grabbed += w.Grabbed
		windows.Cents += w.Cents
		windows.Refused += w.Refused
	}
	total := m.Total()
	require.Equal(t, windows, total.Counts)
	require.EqualValues(t, workers*calls, total.Calls())
	require.EqualValues(t, workers*calls/4, total.Refused)
	require.InEpsilon(t, float64(calls/2)*1e3, float64(total.Quantile(0.5)), 0.01)
	require.InEpsilon(t, float64(calls)*1e3, float64(total.Max()), 0.01)
	require.Zero(t, m.Window().Calls())
	require.Equal(t, windows, m.Total().Counts)
}
