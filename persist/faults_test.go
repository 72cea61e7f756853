package persist_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/disk"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// life writes numbers with a script that changes two keys, writes a dump or rewrites the file now
// and then, and returns the last number that was acknowledged and the last that was tried.
type life struct {
	acked, tried int
	refused      int // errors other than of a crash
}

const grab = "redis.call('SET', KEYS[1], ARGV[1]); return redis.call('SET', KEYS[2], ARGV[1])"

func (l *life) run(t *testing.T, e *engine.Engine, steps int) {
	for i := range steps {
		l.tried++
		n := strconv.Itoa(l.tried)
		_, err := e.Eval(ctx, grab, []string{"a", "b"}, n)
		switch {
		case err == nil:
			l.acked = l.tried
		default:
			require.ErrorContains(t, err, "MISCONF")
			l.refused++
		}
		_, err = e.DoStrings(ctx, "GET", "a") // readable, or what is not safe is not shown
		require.True(t, err == nil || strings.HasPrefix(err.Error(), "MISCONF"), "%v", err)
		if i%4 == 3 {
			_, _ = e.DoStrings(ctx, "BGREWRITEAOF")
			untilInfoIs(t, e, "aof_rewrite_in_progress:0")
		}
		if i%4 == 1 {
			_, _ = e.DoStrings(ctx, "BGSAVE")
			untilInfoIs(t, e, "rdb_bgsave_in_progress:0")
		}
	}
}

func untilInfoIs(t *testing.T, e *engine.Engine, text string) {
	t.Helper()
	patience.Until(t, func() bool {
		v, err := e.DoStrings(ctx, "INFO", "persistence")
		return err == nil && strings.Contains(v.Text(), text)
	}, text)
}

func open(fs disk.FS) (*engine.Engine, error) {
	return engine.New(engine.Options{Persistence: persist.New(persist.OnDisk(persist.Options{
		Dir: "/data", AppendOnly: true, AppendFsync: "always"}, fs))})
}

// state returns the number in the keys, which must be the same in both.
func state(t *testing.T, e *engine.Engine) int {
	v, err := e.DoStrings(ctx, "MGET", "a", "b")
	require.NoError(t, err)
	both := v.Slice()
	require.Equal(t, both[0].Text(), both[1].Text(), "half a script")
	n, _ := strconv.Atoi(both[0].Text())
	return n
}

func newDisk(t *testing.T) *faultdisk.Disk {
	d := faultdisk.New()
	require.NoError(t, d.Mkdir("/data"))
	require.NoError(t, d.SyncDir("/"))
	return d
}

// faultCalls returns how many calls of the file system a life without faults makes.
func faultCalls(t *testing.T) int {
	d := newDisk(t)
	e, err := open(d)
	require.NoError(t, err)
	(&life{}).run(t, e, 10)
	require.NoError(t, e.Close())
	return d.Calls()
}

// At each call of the file system in turn: the machine crashes. Every acknowledged write is there
// after it, and no script is there by half.
func TestCrashAtEachCall(t *testing.T) {
	calls := faultCalls(t)
	for n := 3; n <= calls; n++ {
		d := newDisk(t)
		d.FailAt(n, faultdisk.Fault{Keep: n % 7})
		var l life
		e, err := open(d)
		if err == nil {
			l.run(t, e, 10)
			_ = e.Close()
		}
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for _, pick := range []func(int) int{func(int) int { return 0 }, r.IntN} {
			e, err = open(d.Crash(pick))
			if err != nil { // sectors of the unflushed end that are zero: not a torn end, but refused
				require.ErrorContains(t, err, "not \"\\x00\"", "call %d", n)
				continue
			}
			got := state(t, e)
			require.GreaterOrEqual(t, got, l.acked, "call %d", n)
			require.LessOrEqual(t, got, l.tried)
			require.NoError(t, e.Close())
		}
	}
}

// At each call in turn: the call fails. Errors are reported, the engine stays readable, it accepts
// writes again when the disk works, and after a crash every acknowledged write is there.
func TestFaultAtEachCall(t *testing.T) {
	calls := faultCalls(t)
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO} {
		for n := 3; n <= calls; n++ {
			t.Run(fmt.Sprint(errno, n), func(t *testing.T) {
				t.Parallel() // it waits for the next try
				d := newDisk(t)
				d.FailAt(n, faultdisk.Fault{Err: errno, Keep: n % 7})
				var l life
				e, err := open(d)
				if err != nil {
					require.ErrorIs(t, err, errno)
					return
				}
				l.run(t, e, 10)
				patience.Until(t, func() bool {
					l.tried++
					_, err := e.Eval(ctx, grab, []string{"a", "b"}, strconv.Itoa(l.tried))
					if err == nil {
						l.acked = l.tried
					}
					return err == nil
				}, "it does not recover")
				l.run(t, e, 2)
				crashed := d.Crash(func(int) int { return 0 })
				_ = e.Close()
				again, err := open(crashed)
				require.NoError(t, err)
				got := state(t, again)
				require.GreaterOrEqual(t, got, l.acked)
				require.NoError(t, again.Close())
			})
		}
	}
}
