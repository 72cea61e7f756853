package persist_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

func openDumps(t *testing.T, fs disk.FS) *engine.Engine {
	e, err := engine.New(engine.Options{Persistence: persist.New(persist.OnDisk(persist.Options{Dir: "/data", Save: "3600 1"}, fs))})
	require.NoError(t, err)
	return e
}

func get(t *testing.T, e *engine.Engine) string {
	v, err := e.DoStrings(ctx, "GET", "a")
	require.NoError(t, err)
	return v.Text()
}

// At each call of a BGSAVE in turn: the call fails. The old dump stays, or the new one is complete.
// Writes get MISCONF, reads go on, and the next BGSAVE ends this.
func TestDumpFaultAtEachCall(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO} {
		for _, recover := range []bool{false, true} {
			failed := 0
			for n, reached := 1, true; reached; n++ {
				name := fmt.Sprint(errno, " at call ", n)
				d := newDisk(t)
				e := openDumps(t, d)
				_, err := e.DoStrings(ctx, "SET", "a", "1")
				require.NoError(t, err)
				_, err = e.DoStrings(ctx, "SAVE")
				require.NoError(t, err)
				_, err = e.DoStrings(ctx, "SET", "a", "2")
				require.NoError(t, err)
				at := d.Calls() + n
				d.FailAt(at, faultdisk.Fault{Err: errno, Keep: n % 7})
				_, startErr := e.DoStrings(ctx, "BGSAVE")
				untilInfoIs(t, e, "rdb_bgsave_in_progress:0")
				reached = d.Calls() >= at
				want := "2"
				info, err := e.DoStrings(ctx, "INFO", "persistence")
				require.NoError(t, err)
				if strings.Contains(info.Text(), "rdb_last_bgsave_status:err") {
					failed++
					want = "1"
					_, err = e.DoStrings(ctx, "SET", "a", "3")
					require.ErrorContains(t, err, "MISCONF", name)
					require.Equal(t, "2", get(t, e), name)
				} else {
					require.NoError(t, startErr, name)
				}
				if recover {
					d.Inject(nil)
					want = "2"
					_, err = e.DoStrings(ctx, "BGSAVE")
					require.NoError(t, err, name)
					untilInfoIs(t, e, "rdb_bgsave_in_progress:0")
					_, err = e.DoStrings(ctx, "SET", "a", "3")
					require.NoError(t, err, name)
				}
				again := openDumps(t, d.Crash(func(int) int { return 0 }))
				require.Equal(t, want, get(t, again), name)
				require.NoError(t, again.Close())
				_ = e.Close()
			}
			require.Greater(t, failed, 3)
		}
	}
}
