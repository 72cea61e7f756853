package persist_test

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/persist/internal/faultdisk"
)

// visited collects the kinds of calls at which a test has failed.
type visited struct {
	mu  sync.Mutex
	ops map[faultdisk.Op]int
}

// failAt lets the n-th call fail, and no other.
func (v *visited) failAt(d *faultdisk.Disk, n int, f faultdisk.Fault) {
	d.Inject(func(c faultdisk.Call) *faultdisk.Fault {
		if c.N != n {
			return nil
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.ops == nil {
			v.ops = map[faultdisk.Op]int{}
		}
		v.ops[c.Op]++
		return &f
	})
}

func (v *visited) require(t *testing.T, ops ...faultdisk.Op) {
	t.Helper()
	t.Log(v.ops)
	for _, op := range ops {
		require.NotZero(t, v.ops[op], "no call of %s has failed", op)
	}
}

// onDisk returns a disk with files that have been there for long.
func onDisk(t *testing.T, files map[string]string) *faultdisk.Disk {
	d := newDisk(t)
	require.NoError(t, d.Mkdir("/data/appendonlydir"))
	for name, text := range files {
		f, err := d.Create("/data/" + name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		require.NoError(t, f.Close())
	}
	require.NoError(t, d.SyncDir("/data"))
	require.NoError(t, d.SyncDir("/data/appendonlydir"))
	return d
}

// startFiles returns the files of engines that have ended, by what is special about them.
func startFiles(t *testing.T) map[string]map[string]string {
	in := map[string]string{}
	for name, text := range sampleFiles(t) {
		in["appendonlydir/"+name] = string(text)
	}
	with := func(change func(files map[string]string)) map[string]string {
		files := map[string]string{}
		for name, text := range in {
			files[name] = text
		}
		change(files)
		return files
	}
	const base, incr, manifest = "appendonlydir/" + baseName, "appendonlydir/" + incrName, "appendonlydir/" + manifestName
	return map[string]map[string]string{
		"whole": in,
		"torn":  with(func(files map[string]string) { files[incr] += "*3\r\n$3\r\nSET\r\n$1" }),
		"torn transaction": with(func(files map[string]string) {
			files[incr] += "*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$1\r\ns\r\n$4\r\nhalf\r\n"
		}),
		"superseded": with(func(files map[string]string) {
			files["appendonlydir/appendonly.aof.1.incr.aof"] = "old"
			files[manifest] += "file appendonly.aof.1.incr.aof seq 1 type h\n"
		}),
		"base only": with(func(files map[string]string) {
			delete(files, incr)
			files[manifest], _, _ = strings.Cut(files[manifest], "\n")
			files[manifest] += "\n"
		}),
		"of Redis 6": {"appendonly.aof": in[base] + in[incr]},
		"dump":       {"dump.rdb": in[base]},
		"nothing":    {},
	}
}

// At each call of a start in turn: the call fails. The error names the cause, no file is damaged,
// and the next start loads everything, also if the machine lost power after the first.
func TestFaultAtEachCallOfAStart(t *testing.T) {
	var v visited
	for kind, files := range startFiles(t) {
		for _, policy := range []string{"always", "everysec"} {
			t.Run(kind+" "+policy, func(t *testing.T) {
				open := func(d *faultdisk.Disk) (*engine.Engine, error) {
					o := persist.Options{Dir: "/data", AppendOnly: kind != "dump", AppendFsync: policy}
					return engine.New(engine.Options{Persistence: persist.New(persist.OnDisk(o, d))})
				}
				e, err := open(onDisk(t, files))
				require.NoError(t, err)
				want := do(t, e, "DEBUG DIGEST")
				require.NoError(t, e.Close())
				refused := 0
				for n, reached := 1, true; reached; n++ {
					name := fmt.Sprint("call ", n)
					d := onDisk(t, files)
					at, errno := d.Calls()+n, []error{syscall.EIO, syscall.ENOSPC}[n%2]
					v.failAt(d, at, faultdisk.Fault{Err: errno, Keep: n % 7})
					e, err := open(d)
					reached = d.Calls() >= at
					if err != nil {
						refused++
						require.ErrorIs(t, err, errno, name)
					} else {
						require.Equal(t, want, do(t, e, "DEBUG DIGEST"), name)
						d.Inject(nil)
						require.NoError(t, e.Close(), name)
					}
					d.Inject(nil)
					for _, power := range []bool{true, false} {
						if !power {
							d = d.Crash(func(int) int { return 0 })
						}
						e, err = open(d)
						require.NoError(t, err, "%s, power %v", name, power)
						require.Equal(t, want, do(t, e, "DEBUG DIGEST"), name)
						do(t, e, "SET another 1")
						require.NoError(t, e.Close(), name)
						e, err = open(d)
						require.NoError(t, err, name)
						if kind != "dump" {
							require.Equal(t, "1", do(t, e, "GET another"), name)
							do(t, e, "DEL another")
						}
						require.NoError(t, e.Close(), name)
					}
				}
				require.NotZero(t, refused)
			})
		}
	}
	v.require(t, faultdisk.Open, faultdisk.Create, faultdisk.Append, faultdisk.Mkdir, faultdisk.Rename, faultdisk.Remove,
		faultdisk.SyncDir, faultdisk.Write, faultdisk.Sync, faultdisk.Truncate, faultdisk.Read, faultdisk.Close, faultdisk.Stat)
}
