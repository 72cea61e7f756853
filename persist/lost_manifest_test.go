package persist_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
)

// Increments whose manifest was lost are refused and stay as they are; with the manifest they load.
func TestIncrementsWithoutManifest(t *testing.T) {
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true}
	e := start(t, o)
	do(t, e, "SET k v")
	require.NoError(t, e.Close())
	path := filepath.Join(o.Dir, "appendonlydir", "appendonly.aof.manifest")
	manifest, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	_, err = engine.New(engine.Options{Persistence: persist.New(o)})
	require.ErrorContains(t, err, "holds appendonly.aof.1.incr.aof but not appendonly.aof.manifest; restore the manifest")
	require.NoError(t, os.WriteFile(path, manifest, 0o600))
	require.Equal(t, "v", do(t, start(t, o), "GET k"))
}

// An EXEC that is damaged is not a torn end: what follows it was answered.
func TestDamagedExec(t *testing.T) {
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true}
	e := start(t, o)
	do(t, e, "EVAL redis.call('SET','a',1)redis.call('SET','b',2) 0")
	do(t, e, "SET c 3")
	require.NoError(t, e.Close())
	path := filepath.Join(o.Dir, "appendonlydir", "appendonly.aof.1.incr.aof")
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := strings.Replace(string(file), "EXEC", "EXXC", 1)
	require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
	_, err = engine.New(engine.Options{Persistence: persist.New(o)})
	require.ErrorContains(t, err, "Unknown command 'EXXC' reading the append only file appendonly.aof.1.incr.aof (before offset ")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, damaged, string(after))
}

// A dump that is not loaded because an append-only file begins is named in the log.
func TestDumpThatIsNotLoaded(t *testing.T) {
	o := persist.Options{Dir: t.TempDir()}
	e := start(t, o)
	do(t, e, "SET k v")
	do(t, e, "SAVE")
	require.NoError(t, e.Close())
	var log strings.Builder
	o.AppendOnly = true
	for _, want := range []int{1, 1} { // the second start has an append-only file
		e, err := engine.New(engine.Options{Persistence: persist.New(o), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.Equal(t, want, strings.Count(log.String(), "dump.rdb exists and is not loaded"))
	}
}

// A lock file of another user does not keep the directory from being used.
func TestLockFileOfAnotherUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write every file")
	}
	o := persist.Options{Dir: t.TempDir(), AppendOnly: true}
	path := filepath.Join(o.Dir, ".redmoon.lock")
	require.NoError(t, os.WriteFile(path, []byte("1\n"), 0o444))
	start(t, o)
	_, err := engine.New(engine.Options{Persistence: persist.New(o)})
	require.ErrorIs(t, err, persist.ErrLocked)
}
