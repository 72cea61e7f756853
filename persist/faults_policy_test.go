package persist_test

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// lazyPolicies are the policies under which a reply does not wait for a flush.
var lazyPolicies = []string{"everysec", "no"}

func openPolicy(fs disk.FS, policy string) (*engine.Engine, error) {
	return engine.New(engine.Options{Persistence: persist.New(persist.OnDisk(persist.Options{
		Dir: "/data", AppendOnly: true, AppendFsync: policy}, fs))})
}

// recovers writes until a write is accepted.
func (l *life) recovers(t *testing.T, e *engine.Engine) {
	t.Helper()
	patience.Until(t, func() bool {
		l.tried++
		_, err := e.Eval(ctx, grab, []string{"a", "b"}, strconv.Itoa(l.tried))
		if err == nil {
			l.acked = l.tried
		}
		return err == nil
	}, "it does not recover")
}

// requireKept requires that every acknowledged write is in the files, and after a loss of power.
func (l *life) requireKept(t *testing.T, d *faultdisk.Disk, policy string) {
	t.Helper()
	for _, power := range []bool{true, false} {
		if !power {
			d = d.Crash(func(int) int { return 0 })
		}
		e, err := openPolicy(d, policy)
		require.NoError(t, err)
		got := state(t, e)
		require.GreaterOrEqual(t, got, l.acked)
		require.LessOrEqual(t, got, l.tried)
		require.NoError(t, e.Close())
	}
}

// At each call in turn: the call fails, under the policies that do not wait for a flush. The engine
// stays readable and accepts writes again, and after an orderly end every acknowledged write is
// there, even if the machine loses power then.
func TestFaultAtEachCallWithoutWaiting(t *testing.T) {
	for _, policy := range lazyPolicies {
		t.Run(policy, func(t *testing.T) {
			var v visited
			for n, reached := 3, true; reached; n++ {
				errno := []error{syscall.ENOSPC, syscall.EIO}[n%2]
				t.Run(fmt.Sprint(n, " ", errno), func(t *testing.T) {
					d := newDisk(t)
					v.failAt(d, n, faultdisk.Fault{Err: errno, Keep: n % 7})
					var l life
					e, err := openPolicy(d, policy)
					if err != nil {
						require.ErrorIs(t, err, errno)
						d.Inject(nil)
						e, err = openPolicy(d, policy)
						require.NoError(t, err)
					}
					l.run(t, e, 8)
					l.recovers(t, e)
					reached = d.Calls() >= n
					d.Inject(nil)
					require.NoError(t, e.Close())
					l.requireKept(t, d, policy)
				})
			}
			v.require(t, faultdisk.Create, faultdisk.Mkdir, faultdisk.Rename, faultdisk.Remove, faultdisk.SyncDir, faultdisk.Write,
				faultdisk.Sync, faultdisk.Close, faultdisk.Stat)
		})
	}
}

// A call fails each time, for a while. Writes are refused with MISCONF if they cannot be kept,
// reads go on, and when the call works again writes are accepted and nothing acknowledged is lost.
func TestCallThatStaysBroken(t *testing.T) {
	for _, policy := range append(lazyPolicies, "always") {
		for _, op := range []faultdisk.Op{faultdisk.Write, faultdisk.Sync, faultdisk.Truncate, faultdisk.Create, faultdisk.Rename,
			faultdisk.SyncDir, faultdisk.Close, faultdisk.Remove, faultdisk.Stat} {
			t.Run(fmt.Sprint(policy, " ", op), func(t *testing.T) {
				d := newDisk(t)
				e, err := openPolicy(d, policy)
				require.NoError(t, err)
				var l life
				l.run(t, e, 4)
				d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
					if c.Op == op || op == faultdisk.Truncate && c.Op == faultdisk.Write {
						return &faultdisk.Fault{Err: syscall.ENOSPC, Keep: 3}
					}
					return nil
				})
				refused := func() bool {
					before := l.refused
					l.run(t, e, 1)
					return l.refused > before
				}
				if op == faultdisk.Write || op == faultdisk.Truncate || op == faultdisk.Sync && policy != "no" {
					patience.Until(t, refused, "writes are accepted although they cannot be kept")
				}
				l.run(t, e, 8)
				d.Inject(nil)
				l.recovers(t, e)
				l.run(t, e, 4)
				require.NoError(t, e.Close())
				l.requireKept(t, d, policy)
			})
		}
	}
}
