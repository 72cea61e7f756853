package persist_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// startUndoing is start for an engine that undoes what fails.
func startUndoing(t *testing.T, o persist.Options) *engine.Engine {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	e, err := engine.New(engine.Options{Persistence: persist.New(o), Logger: log, OnScriptError: engine.Rollback})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func fails(t *testing.T, e *engine.Engine, script string) {
	t.Helper()
	_, err := e.Eval(ctx, script+" error('failure')", nil)
	require.ErrorContains(t, err, "failure")
}

// What is undone is in no file: neither in an append-only file nor, after FLUSHALL, in a dump.
func TestFilesHaveNothingOfWhatIsUndone(t *testing.T) {
	for _, policy := range []string{"always", "everysec"} {
		o := persist.Options{Dir: t.TempDir(), AppendOnly: true, AppendFsync: policy}
		e := startUndoing(t, o)
		do(t, e, "SET a kept")
		fails(t, e, "redis.call('SET', 'a', 'undone') redis.call('RPUSH', 'l', 'x') redis.call('FLUSHALL')")
		do(t, e, "SET b kept")
		_, err := e.Eval(ctx, "redis.call('SET', 'c', 'kept') redis.call('EXPIRE', 'c', 1000)", nil)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		files, err := filepath.Glob(filepath.Join(o.Dir, "appendonlydir", "*.incr.aof"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(text), "kept")
		for _, undone := range []string{"undone", "RPUSH", "FLUSHALL"} {
			require.NotContains(t, string(text), undone)
		}
		e = startUndoing(t, o)
		require.EqualValues(t, 3, mustInt(t, e, "DBSIZE"))
		for _, key := range []string{"a", "b", "c"} {
			require.Equal(t, "kept", do(t, e, "GET "+key))
		}
		require.NoError(t, e.Close())
	}
}

func TestAnUndoneFlushAllSavesNothing(t *testing.T) {
	dir := t.TempDir()
	e := startUndoing(t, persist.Options{Dir: dir})
	_, err := e.Do(ctx, "CONFIG", "SET", "save", "3600 1")
	require.NoError(t, err)
	do(t, e, "SET a kept")
	do(t, e, "SAVE")
	dump, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	do(t, e, "SET b kept")
	changes := info(t, e, "rdb_changes_since_last_save")
	fails(t, e, "redis.call('FLUSHALL') redis.call('SET', 'c', 1)")
	after, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.Equal(t, dump, after)
	require.Equal(t, changes, info(t, e, "rdb_changes_since_last_save"))
	require.Equal(t, "kept", do(t, e, "GET a"))

	_, err = e.Eval(ctx, "redis.call('FLUSHALL')", nil)
	require.NoError(t, err)
	after, err = os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.NotEqual(t, dump, after)
}

// A BGSAVE in a transaction begins after it, whether the transaction is undone or not. A BGSAVE
// goes on while scripts are undone, and has the data from when it began.
func TestDumpsAndWhatIsUndone(t *testing.T) {
	o := persist.Options{Dir: t.TempDir()}
	e := startUndoing(t, o)
	do(t, e, "CONFIG SET rdb-key-save-delay 100000")
	for i := range 300 {
		_, err := e.Do(ctx, "SET", i, "kept")
		require.NoError(t, err)
	}
	sess, err := e.NewSession()
	require.NoError(t, err)
	for _, line := range [][]any{{"MULTI"}, {"SET", "a", 1}, {"BGSAVE"}, {"INCRBY", "a", "x"}, {"EXEC"}} {
		_, err := sess.Do(ctx, line...)
		require.NoError(t, err)
	}
	untilInfo(t, e, "rdb_bgsave_in_progress", "1")
	for i := range 300 {
		_, err := e.Eval(ctx, "redis.call('SET', ARGV[1], 'undone') redis.call('DEL', ARGV[1] + 1) redis.call('FLUSHALL') error('x')", nil, i)
		require.Error(t, err)
		_, err = e.Eval(ctx, "redis.call('SET', ARGV[1], 'later') redis.call('DEL', ARGV[1] + 1)", nil, i/2*2)
		require.NoError(t, err)
	}
	require.Equal(t, "1", info(t, e, "rdb_bgsave_in_progress"), "the dump was too quick for the test")
	do(t, e, "CONFIG SET rdb-key-save-delay 0")
	untilInfo(t, e, "rdb_bgsave_in_progress", "0")
	require.Equal(t, "ok", info(t, e, "rdb_last_bgsave_status"))
	require.NoError(t, e.Check(ctx))

	copied, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer copied.Close()
	_, err = copied.LoadRDBFile(ctx, filepath.Join(o.Dir, "dump.rdb"), engine.LoadOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 300, mustInt(t, copied, "DBSIZE"))
	for i := range 300 {
		v, err := copied.Do(ctx, "GET", i)
		require.NoError(t, err)
		require.Equal(t, "kept", v.Text())
	}
}
