package persist_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// A copy of a master's data set gets a new append-only file. While the disk refuses it, writes are
// refused; when it works, writes are accepted and safe.
func TestAppendOnlyFileAfterACopyIsTriedAgain(t *testing.T) {
	for _, op := range []faultdisk.Op{faultdisk.Create, faultdisk.Rename, faultdisk.Write, faultdisk.Sync} {
		t.Run(string(op), func(t *testing.T) {
			d := newDisk(t)
			f := persist.New(persist.OnDisk(persist.Options{Dir: "/data", AppendOnly: true, AppendFsync: "always"}, d))
			e, err := engine.New(engine.Options{Persistence: f})
			require.NoError(t, err)
			t.Cleanup(func() { _ = e.Close() })
			do(t, e, "SET a 1")
			d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
				if c.Op == op {
					return &faultdisk.Fault{Err: syscall.EIO}
				}
				return nil
			})
			f.Resynchronized()
			if op == faultdisk.Create {
				_, err = e.DoStrings(ctx, "SET", "a", "2")
				require.ErrorContains(t, err, "MISCONF")
				require.Equal(t, "1", do(t, e, "GET a"))
				require.Equal(t, "err", info(t, e, "aof_last_write_status"))
			}
			d.Inject(nil)
			patience.Until(t, func() bool {
				_, err := e.DoStrings(ctx, "SET", "a", "3")
				return err == nil && info(t, e, "aof_enabled") == "1" && info(t, e, "aof_rewrites") != "0"
			})
			untilInfo(t, e, "aof_rewrite_in_progress", "0")
			do(t, e, "SET a 4")
			again, err := open(d.Crash(func(int) int { return 0 }))
			require.NoError(t, err)
			require.Equal(t, "4", do(t, again, "GET a"))
			require.NoError(t, again.Close())
		})
	}
}

// appendonly no ends the tries.
func TestTriesEndWithTheParameter(t *testing.T) {
	d := newDisk(t)
	f := persist.New(persist.OnDisk(persist.Options{Dir: "/data", AppendOnly: true}, d))
	e, err := engine.New(engine.Options{Persistence: f})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.Op == faultdisk.Create {
			return &faultdisk.Fault{Err: syscall.EIO}
		}
		return nil
	})
	f.Resynchronized()
	require.Equal(t, "err", info(t, e, "aof_last_write_status"))
	do(t, e, "CONFIG SET appendonly no")
	do(t, e, "SET a 1")
	require.Equal(t, "0", info(t, e, "aof_enabled"))
}
