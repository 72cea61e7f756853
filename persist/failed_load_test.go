package persist_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/testing/damage"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
)

// content returns the files below a folder, without the lock.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := damage.Content(dir)
	require.NoError(t, err)
	return files
}

// After a load that has failed nobody gets anything but the error, no file is touched, and Close
// ends. REDMOON_STARTS sets how many engines start.
func TestNothingIsServedAfterAFailedLoad(t *testing.T) {
	whole := map[bool]string{}
	for _, appendOnly := range []bool{false, true} {
		dir := t.TempDir()
		require.NoError(t, damage.Write(dir, appendOnly))
		whole[appendOnly] = dir
	}
	kinds := damage.Kinds()
	starts := tier.Number("REDMOON_STARTS", 2*len(kinds), 1000)
	for n := range starts {
		k := kinds[n%len(kinds)]
		t.Run(k.Name, func(t *testing.T) { failToLoad(t, k, whole[k.AppendOnly]) })
	}
}

func failToLoad(t *testing.T, k damage.Kind, whole string) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
	require.NoError(t, k.Apply(dir))
	before := content(t, dir)

	o := persist.Options{Dir: dir, AppendOnly: k.AppendOnly, Save: "1 1"}
	_, err := engine.New(engine.Options{Config: k.Config, Persistence: persist.New(o)})
	require.Error(t, err)
	require.Equal(t, before, content(t, dir), "New without Background")

	o.Background = true
	e, err := engine.New(engine.Options{Config: k.Config, Persistence: persist.New(o)})
	if err != nil { // it cannot even begin
		require.Equal(t, before, content(t, dir))
		return
	}
	var clients sync.WaitGroup
	lines := []string{"SET k v", "GET abc", "SAVE", "BGSAVE", "BGREWRITEAOF", "FLUSHALL", "CONFIG SET save 1", "DBSIZE",
		"EVAL return(1) 0", "DEBUG RELOAD", "DEBUG LOADAOF", "CONFIG SET appendonly yes", "CONFIG SET appendonly no", "SHUTDOWN SAVE"}
	for _, line := range lines {
		clients.Go(func() {
			for range 20 {
				v, err := e.DoStrings(ctx, strings.Fields(line)...)
				if err == nil && v.Text() == "OK" && strings.HasPrefix(line, "CONFIG") {
					continue // while it still loads
				}
				if err == nil {
					t.Errorf("%s: %v", line, v.Text())
				}
			}
		})
	}
	loadErr := e.AwaitLoad(ctx)
	require.Error(t, loadErr)
	clients.Wait()
	for _, line := range lines {
		_, err := e.DoStrings(ctx, strings.Fields(line)...)
		require.ErrorContains(t, err, "LOADING ", line)
	}
	_, err = e.Do(ctx, "PING")
	require.ErrorIs(t, err, loadErr)
	s, err := e.NewSession()
	require.NoError(t, err)
	b := enginedoor.Batch{Commands: [][]string{{"PING"}, {"SET", "k", "v"}, {"MULTI"}}}
	require.NoError(t, enginedoor.Of(s).RunBatch(context.Background(), &b))
	for _, v := range b.Replies {
		require.Equal(t, "LOADING", errorCode(v))
	}
	require.NoError(t, s.Close())
	require.ErrorIs(t, e.View(ctx, func(engine.Keyspace) error { return nil }), loadErr)
	_, err = e.Snapshot()
	require.ErrorIs(t, err, loadErr)
	_, err = e.Fork()
	require.ErrorIs(t, err, loadErr)
	require.NoError(t, e.Close())
	require.Equal(t, before, content(t, dir))
}

func errorCode(v engine.Value) string {
	var e *engine.Error
	if errors.As(v.Err(), &e) {
		return e.Code
	}
	return ""
}

// After a DEBUG RELOAD or LOADAOF that has failed half-way nothing is served either, and the files
// stay.
func TestNothingIsServedAfterAFailedReload(t *testing.T) {
	for command, change := range map[string]func([]byte) ([]byte, error){
		"DEBUG RELOAD NOSAVE":         damage.CutAtTheEnd,
		"DEBUG RELOAD NOSAVE NOFLUSH": damage.FlippedAtTheEnd,
		"DEBUG LOADAOF":               damage.Replaced("$3", "$y"),
	} {
		t.Run(command, func(t *testing.T) {
			dir, failed, file := t.TempDir(), make(chan error, 1), damage.Dump
			appendOnly := command == "DEBUG LOADAOF"
			if appendOnly {
				file = damage.Increment
			}
			e := start(t, persist.Options{Dir: dir, AppendOnly: appendOnly, AppendFsync: "always", Save: "1 1",
				Failed: func(err error) { failed <- err }})
			do(t, e, "SET abc 1")
			do(t, e, "SAVE")
			require.NoError(t, damage.Change(dir, file, change))
			before := content(t, dir)
			_, err := e.DoStrings(ctx, strings.Fields(command)...)
			require.ErrorContains(t, err, "Error trying to load")
			why := patience.Receive(t, failed)
			for _, line := range []string{"GET abc", "SET abc 2", "SAVE", "BGREWRITEAOF", "PING"} {
				_, err := e.DoStrings(ctx, strings.Fields(line)...)
				require.ErrorIs(t, err, why, line)
				require.ErrorContains(t, err, "LOADING ", line)
			}
			require.NoError(t, e.Close())
			require.Equal(t, before, content(t, dir))
		})
	}
}

// A dump that is not there, or that is none, replaces the data set by an empty one, as in Redis.
func TestAReloadOfNothing(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"gone": os.Remove, "no dump": func(path string) error { return os.WriteFile(path, []byte("no dump at all"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := start(t, persist.Options{Dir: dir})
			do(t, e, "SET abc 1")
			do(t, e, "SAVE")
			require.NoError(t, spoil(filepath.Join(dir, damage.Dump)))
			_, err := e.DoStrings(ctx, "DEBUG", "RELOAD", "NOSAVE")
			require.ErrorContains(t, err, "Error trying to load the RDB dump")
			require.EqualValues(t, 0, mustInt(t, e, "DBSIZE"))
			do(t, e, "SET abc 2")
		})
	}
}
