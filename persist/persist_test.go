package persist_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/persist"
)

var ctx = context.Background()

func start(t *testing.T, o persist.Options) *engine.Engine {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	e, err := engine.New(engine.Options{Persistence: persist.New(o), Logger: log})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func do(t *testing.T, e *engine.Engine, line string) string {
	t.Helper()
	v, err := e.DoStrings(ctx, strings.Fields(line)...)
	require.NoError(t, err, line)
	return v.Text()
}

func info(t *testing.T, e *engine.Engine, field string) string {
	t.Helper()
	_, rest, found := strings.Cut(do(t, e, "INFO persistence"), "\n"+field+":")
	require.True(t, found, field)
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

func untilInfo(t *testing.T, e *engine.Engine, field, value string) {
	t.Helper()
	patience.Until(t, func() bool { return info(t, e, field) == value }, "%s:%s", field, value)
}

// What was written is there after a restart, with every policy, and after a rewrite.
func TestRestartFromAppendOnlyFile(t *testing.T) {
	for _, policy := range []string{"always", "everysec", "no"} {
		t.Run(policy, func(t *testing.T) {
			o := persist.Options{Dir: t.TempDir(), AppendOnly: true, AppendFsync: policy}
			for round := range 3 {
				e := start(t, o)
				if round > 0 {
					require.Equal(t, fmt.Sprint(round), do(t, e, "GET rounds"))
					require.EqualValues(t, round*200, mustInt(t, e, "DBSIZE")-1)
				}
				do(t, e, "INCR rounds")
				for i := range 100 {
					do(t, e, fmt.Sprintf("RPUSH list:%d:%d a b c", round, i))
				}
				if round == 1 {
					do(t, e, "BGREWRITEAOF")
					untilInfo(t, e, "aof_rewrite_in_progress", "0")
					require.Equal(t, "ok", info(t, e, "aof_last_bgrewrite_status"))
				}
				for i := range 100 {
					_, err := e.Eval(ctx, "redis.call('SET', KEYS[1], ARGV[1]); return redis.call('EXPIRE', KEYS[1], 1000)",
						[]string{fmt.Sprintf("s:%d:%d", round, i)}, "v")
					require.NoError(t, err)
				}
				require.NoError(t, e.Check(ctx))
				require.NoError(t, e.Close())
			}
		})
	}
}

func mustInt(t *testing.T, e *engine.Engine, line string) int64 {
	v, err := e.DoStrings(ctx, strings.Fields(line)...)
	require.NoError(t, err)
	n, err := v.Int()
	require.NoError(t, err)
	return n
}

// Close saves a dump if there are save points, and the next engine loads it.
func TestRestartFromDump(t *testing.T) {
	o := persist.Options{Dir: t.TempDir(), Save: "3600 1"}
	e := start(t, o)
	do(t, e, "SET a 1")
	require.Equal(t, "1", info(t, e, "rdb_changes_since_last_save"))
	require.NoError(t, e.Close())
	e = start(t, o)
	require.Equal(t, "1", do(t, e, "GET a"))
	require.Equal(t, "0", info(t, e, "rdb_changes_since_last_save"))
	require.Equal(t, "1", info(t, e, "rdb_last_load_keys_loaded"))
	do(t, e, "SET b 1")
	require.Equal(t, "Background saving started", do(t, e, "BGSAVE"))
	untilInfo(t, e, "rdb_bgsave_in_progress", "0")
	require.Equal(t, "0", info(t, e, "rdb_changes_since_last_save"))
	do(t, e, "SAVE")
	do(t, e, "DEBUG RELOAD")
	require.Equal(t, "1", do(t, e, "GET b"))
	do(t, e, "FLUSHALL")
	do(t, e, "DEBUG RELOAD NOSAVE")
	require.EqualValues(t, 0, mustInt(t, e, "DBSIZE"))
}

// A directory that does not exist is made; a file in its place is an error.
func TestDirectoryIsMade(t *testing.T) {
	top := t.TempDir()
	o := persist.Options{Dir: filepath.Join(top, "a", "b"), AppendOnly: true, AppendFsync: "always"}
	e := start(t, o)
	do(t, e, "SET k v")
	require.NoError(t, e.Close())
	require.Equal(t, "v", do(t, start(t, o), "GET k"))
	file := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	for _, dir := range []string{file, filepath.Join(file, "c")} {
		_, err := engine.New(engine.Options{Persistence: persist.New(persist.Options{Dir: dir})})
		require.ErrorContains(t, err, "not a directory")
	}
}

// rdb-key-save-delay makes a dump take longer, until it is 0.
func TestSaveDelay(t *testing.T) {
	e := start(t, persist.Options{Dir: t.TempDir()})
	do(t, e, "CONFIG SET rdb-key-save-delay 1000000000")
	do(t, e, "SET k v")
	do(t, e, "BGSAVE")
	for range 100 {
		require.Equal(t, "1", info(t, e, "rdb_bgsave_in_progress"))
	}
	do(t, e, "CONFIG SET rdb-key-save-delay 0")
	untilInfo(t, e, "rdb_bgsave_in_progress", "0")
	require.Equal(t, "ok", info(t, e, "rdb_last_bgsave_status"))
}

// Two engines cannot have their files in the same directory.
func TestDirectoryIsLocked(t *testing.T) {
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true}
	e := start(t, o)
	_, err := start(t, persist.Options{Dir: o.Dir}).DoStrings(ctx, "SAVE")
	require.Error(t, err)
	_, err = engine.New(engine.Options{Persistence: persist.New(o)})
	require.ErrorIs(t, err, persist.ErrLocked)
	require.NoError(t, e.Close())
	start(t, o)
}

// CONFIG SET turns the append-only file on and off.
func TestAppendOnlyAtRunTime(t *testing.T) {
	dir := t.TempDir()
	e := start(t, persist.Options{Dir: dir})
	do(t, e, "SET a 1")
	do(t, e, "CONFIG SET appendonly yes")
	do(t, e, "SET b 2")
	untilInfo(t, e, "aof_rewrite_in_progress", "0")
	do(t, e, "SET c 3")
	require.Equal(t, "OK", do(t, e, "DEBUG LOADAOF"))
	require.EqualValues(t, 3, mustInt(t, e, "DBSIZE"))
	require.NoError(t, e.Close())
	e = start(t, persist.Options{Dir: dir, AppendOnly: true})
	require.EqualValues(t, 3, mustInt(t, e, "DBSIZE"))
	do(t, e, "CONFIG SET appendonly no")
	do(t, e, "SET d 4")
	require.Equal(t, "0", info(t, e, "aof_enabled"))
}

// A torn end is cut, and a transaction without its end is cut wholly.
func TestTornEndIsCut(t *testing.T) {
	dir := t.TempDir()
	o := persist.Options{Dir: dir, AppendOnly: true}
	e := start(t, o)
	do(t, e, "SET a 1")
	_, err := e.Eval(ctx, "redis.call('SET', 'x', 1); redis.call('SET', 'y', 1)", nil)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	path := filepath.Join(dir, "appendonlydir", "appendonly.aof.1.incr.aof")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(whole), "MULTI")
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-4], 0o644))
	e = start(t, o)
	require.EqualValues(t, 1, mustInt(t, e, "DBSIZE"))
	require.NoError(t, e.Close())
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-4], 0o644))
	_, err = engine.New(engine.Options{Persistence: persist.New(o), Config: map[string]string{"aof-load-truncated": "no"}})
	require.ErrorContains(t, err, "Unexpected end of file reading the append only file")
	damaged := []byte(strings.Replace(string(whole), "*3", "*x", 1))
	require.NoError(t, os.WriteFile(path, damaged, 0o644))
	var log strings.Builder
	_, err = engine.New(engine.Options{Persistence: persist.New(o), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.ErrorContains(t, err, "Bad file format reading the append only file")
	require.ErrorContains(t, err, "offset")
	require.Contains(t, log.String(), "Bad file format reading the append only file appendonly.aof.1.incr.aof: make a backup of your AOF file")
	require.NotContains(t, log.String(), "truncated")
}

// A key whose time ends while the engine is down does not come back, and one that was made
// persistent does.
func TestTimesToLiveInAppendOnlyFile(t *testing.T) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	open := func(o persist.Options) *engine.Engine {
		e, err := engine.New(engine.Options{Clock: clock, Persistence: persist.New(o)})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true, AppendFsync: "always"}
	e := open(o)
	do(t, e, "SET gone 1 EX 10")
	do(t, e, "SET stays 1 EX 10")
	do(t, e, "PERSIST stays")
	require.NoError(t, e.Close())
	clock.Advance(time.Minute)
	e = open(o)
	v, err := e.DoStrings(ctx, "GET", "gone")
	require.NoError(t, err)
	require.True(t, v.IsNil())
	require.Equal(t, "1", do(t, e, "GET stays"))
}
