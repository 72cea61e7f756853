package persist_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/persist"
)

// randomCommand returns a command that changes one of a few keys of each type.
func randomCommand(r *rand.Rand) []string {
	n := func(k int) string { return fmt.Sprint(r.IntN(k)) }
	switch r.IntN(12) {
	case 0:
		return []string{"SET", "s" + n(20), n(1 << 30), "EX", fmt.Sprint(1000 + r.IntN(1000))}
	case 1:
		return []string{"APPEND", "s" + n(20), n(1000)}
	case 2:
		return []string{"RPUSH", "l" + n(20), n(1000), "text" + n(100)}
	case 3:
		return []string{"LPOP", "l" + n(20)}
	case 4:
		return []string{"SADD", "i" + n(20), n(1000)}
	case 5:
		return []string{"SADD", "t" + n(20), "member" + n(1000)}
	case 6:
		return []string{"ZADD", "z" + n(20), n(100), "member" + n(200)}
	case 7:
		return []string{"HSET", "h" + n(20), "f" + n(200), n(1000)}
	case 8:
		return []string{"XADD", "x" + n(20), "*", "f", n(1000)}
	case 9:
		return []string{"SPOP", "i" + n(20)}
	case 10:
		return []string{"EXPIRE", "h" + n(20), "5000"}
	}
	return []string{"EVAL", "redis.call('INCR', KEYS[1]); return redis.call('RPUSH', KEYS[2], ARGV[1])", "2", "c" + n(5), "l" + n(20), n(9)}
}

// asker is an engine or a redis-server.
type asker func(args ...string) engine.Value

// requireSame compares all keys.
func requireSame(t *testing.T, a, b asker) {
	t.Helper()
	require.Equal(t, a("DBSIZE").String(), b("DBSIZE").String())
	keys := a("KEYS", "*").Strings()
	require.NotEmpty(t, keys)
	for _, key := range keys {
		value := []string{"DUMP", key}
		if key[0] == 't' { // the order of a hash table is random
			value = []string{"DEBUG", "DIGEST-VALUE", key}
		}
		for _, command := range [][]string{value, {"PEXPIRETIME", key}} {
			require.Equal(t, a(command...).String(), b(command...).String(), "%v", command)
		}
	}
}

// A redis-server starts from the files of an engine, its tools accept them, and an engine starts
// from the files of the server. Every key is the same each time.
func TestFilesWithRedisServer(t *testing.T) {
	redistest.Need(t)
	for _, kind := range []string{"append-only file", "append-only file of commands", "dump"} {
		t.Run(kind, func(t *testing.T) {
			onoff, appendOnly := "yes", kind != "dump"
			if !appendOnly {
				onoff = "no"
			}
			server, err := redistest.Start("--appendonly", onoff, "--save", "3600 1")
			require.NoError(t, err)
			t.Cleanup(server.Stop)
			server.Kill()
			require.NoError(t, os.RemoveAll(filepath.Join(server.Dir, "appendonlydir")))
			dir, r := server.Dir, rand.New(rand.NewPCG(1, 2))
			o := persist.Options{Dir: dir, AppendOnly: appendOnly, Save: "3600 1"}
			e := start(t, o)
			ask := func(e *engine.Engine) asker {
				return func(args ...string) engine.Value {
					v, err := e.DoStrings(ctx, args...)
					require.NoError(t, err, "%v", args)
					return v
				}
			}
			for i := range 5000 {
				ask(e)(randomCommand(r)...)
				if i == 3000 && appendOnly {
					if kind != "append-only file" {
						do(t, e, "CONFIG SET aof-use-rdb-preamble no")
					}
					do(t, e, "BGREWRITEAOF")
				}
				if i == 4000 {
					untilInfo(t, e, "aof_rewrite_in_progress", "0")
				}
			}
			require.NoError(t, e.Close())
			tool, args := redistest.NeedProgram(t, "redis-check-rdb"), []string{filepath.Join(dir, "dump.rdb")}
			if appendOnly {
				tool, args = redistest.NeedProgram(t, "redis-check-aof"), []string{filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest")}
			}
			out, err := exec.Command(tool, args...).CombinedOutput()
			require.NoError(t, err, "%s", out)

			require.NoError(t, server.Restart())
			oracle := func(args ...string) engine.Value {
				v, err := server.Do(args...)
				require.NoError(t, err, "%v", args)
				return v
			}
			e = start(t, o)
			requireSame(t, ask(e), oracle)
			require.NoError(t, e.Close())

			for range 2000 {
				oracle(randomCommand(r)...)
			}
			oracle("SAVE")
			e = start(t, o)
			requireSame(t, ask(e), oracle)
		})
	}
}
