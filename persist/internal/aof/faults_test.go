package aof_test

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/persist/internal/aof"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// Each call of the file system fails in turn, in each way, and then the power fails: what was
// reported safe is there, once, in order, and without half a transaction.
func TestEachCallFailsInTurn(t *testing.T) {
	for _, fault := range []faultdisk.Fault{
		{Err: syscall.ENOSPC, Keep: 7}, {Err: syscall.ENOSPC}, {Err: syscall.EIO}, {Err: syscall.EIO, Keep: 1000}, {}, {Keep: 11}, {Keep: 1000},
	} {
		recovered := 0
		for n, reached := 1, true; reached; n++ {
			name := fmt.Sprintf("%+v at call %d", fault, n)
			d := faultdisk.New()
			d.FailAt(n, fault)
			s, err := openStore(d)
			if err != nil {
				load(t, d.Crash(dice(uint64(n))))
				continue
			}
			s.life()
			reached = d.Calls() >= n
			if fault.Err != nil {
				s.recover()
				require.NoError(t, await(s.w, s.w.Stats().End), "%s: one fault must not end the store", name)
				s.safe = s.n
				recovered++
			}
			m := load(t, d.Crash(dice(uint64(n))))
			require.GreaterOrEqual(t, m, s.safe, name)
			require.LessOrEqual(t, m, s.n, name)
			_ = s.w.Close()
		}
		if fault.Err != nil {
			require.Greater(t, recovered, 20)
		}
	}
}

// All calls of a kind fail from some moment on: what is reported safe is safe.
func TestADiskThatStaysBroken(t *testing.T) {
	for _, op := range []faultdisk.Op{faultdisk.Write, faultdisk.Sync, faultdisk.Create, faultdisk.Rename, faultdisk.SyncDir, ""} {
		for n, more := 1, true; more; n++ {
			d := faultdisk.New()
			var reached atomic.Bool // by two goroutines
			d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
				if c.N < n || op != "" && c.Op != op {
					return nil
				}
				reached.Store(true)
				return &faultdisk.Fault{Err: syscall.EIO, Keep: 5}
			})
			s, err := openStore(d)
			if err != nil {
				more = reached.Load()
				continue
			}
			s.life()
			_ = s.w.Close()
			more = reached.Load()
			m := load(t, d.Crash(dice(uint64(n))))
			require.GreaterOrEqual(t, m, s.safe, "%s from call %d", op, n)
			require.LessOrEqual(t, m, s.n)
		}
	}
}

// The power fails when a write has brought a number of bytes to the disk, for each number.
func TestACrashAtEachByte(t *testing.T) {
	batch := string(step(1)) + string(step(2)) + "#TS:1700000000\r\n" + string(step(3))
	for kept := range len(batch) + 1 {
		d, f := newDisk(t)
		w := aof.NewWriter(f, 0, aof.Options{Policy: aof.Always, Clock: newClock()})
		require.NoError(t, await(w, w.Append([]byte(command("SELECT", "0")))))
		d.FailAt(d.Calls()+1, faultdisk.Fault{Keep: kept})
		require.ErrorIs(t, await(w, w.Append([]byte(batch))), faultdisk.ErrCrashed)
		require.Error(t, w.Close())
		first := true
		after := d.Crash(func(k int) int {
			if first {
				first = false
				return k - 1 // everything that the write brought to the disk
			}
			return 0
		})
		require.Equal(t, command("SELECT", "0")+batch[:kept], content(t, after, "a"))
		file, err := after.Open("a")
		require.NoError(t, err)
		r := aof.NewReader(file, "a", 0)
		_, err = readAll(r)
		whole, err2 := readAll(aof.NewReader(newFile(t, after, r.Safe()), "a", 0))
		require.NoError(t, err2)
		require.Equal(t, 1, len(whole)%4, "whole transactions after SELECT")
		require.Equal(t, err == nil, r.Safe() == int64(len(command("SELECT", "0"))+kept))
	}
}

// newFile cuts the file "a" to a size and opens it for reading.
func newFile(t *testing.T, d *faultdisk.Disk, size int64) interface{ Read([]byte) (int, error) } {
	t.Helper()
	f := appendFile(t, d, "a")
	require.NoError(t, f.Truncate(size))
	require.NoError(t, f.Close())
	again, err := d.Open("a")
	require.NoError(t, err)
	return again
}
