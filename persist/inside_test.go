package persist

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// After the third failure in a row a rewrite waits for a minute, then twice as long each time, up
// to an hour.
func TestRewritesWaitAfterFailures(t *testing.T) {
	var r rewrites
	const now = 1000
	for _, want := range []int64{0, 0, 60, 120, 240, 480, 960, 1920, 3600, 3600} {
		r.fail(now)
		if want == 0 {
			require.False(t, r.limited(now))
			continue
		}
		require.True(t, r.limited(now+want-1), want)
		require.False(t, r.limited(now+want), want)
	}
}

// A dump is flushed each 4 MiB if it should be, and else only at its end.
func TestADumpIsFlushedInPortions(t *testing.T) {
	for _, c := range []struct {
		flush  bool
		during int
	}{{true, 2}, {false, 0}} {
		d := faultdisk.New()
		file, err := d.Create("/dump")
		require.NoError(t, err)
		flushes := 0
		d.Inject(func(call faultdisk.Call) *faultdisk.Fault {
			if call.Op == faultdisk.Sync {
				flushes++
			}
			return nil
		})
		k := &sink{file: file, flush: c.flush}
		piece := make([]byte, 64<<10)
		for range 9 << 20 / len(piece) {
			require.NoError(t, k.write(piece))
		}
		d.Inject(nil)
		require.Equal(t, c.during, flushes)
	}
}
