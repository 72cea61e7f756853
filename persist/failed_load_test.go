package persist_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/persist"
)

// damage makes the files of a folder unreadable. file is the one that it changes, below the folder.
type damage struct {
	name, file string
	do         func(data []byte) []byte
	appendOnly bool
	config     map[string]string
}

const (
	dumpFile     = "dump.rdb"
	baseFile     = "appendonlydir/appendonly.aof.1.base.rdb"
	incrFile     = "appendonlydir/appendonly.aof.1.incr.aof"
	manifestFile = "appendonlydir/appendonly.aof.manifest"
)

func with(text string) func([]byte) []byte { return func([]byte) []byte { return []byte(text) } }

func replaced(old, text string) func([]byte) []byte {
	return func(data []byte) []byte {
		if !strings.Contains(string(data), old) {
			panic("the file has no " + old)
		}
		return []byte(strings.Replace(string(data), old, text, 1))
	}
}

func cut(part func(size int) int) func([]byte) []byte {
	return func(data []byte) []byte { return data[:part(len(data))] }
}

func flipped(at func(size int) int) func([]byte) []byte {
	return func(data []byte) []byte {
		data = append([]byte(nil), data...)
		data[at(len(data))] ^= 0x55
		return data
	}
}

func half(size int) int { return size / 2 }
func last(size int) int { return size - 1 }

// damages are twenty ways in which a data set cannot be loaded.
var damages = []damage{
	{name: "garbage", file: dumpFile, do: with("REDIS0099" + strings.Repeat("x", 100))},
	{name: "no dump", file: dumpFile, do: with("no dump at all")},
	{name: "empty", file: dumpFile, do: with("")},
	{name: "a later version", file: dumpFile, do: replaced("REDIS0010", "REDIS0099")},
	{name: "cut in the head", file: dumpFile, do: cut(func(int) int { return 7 })},
	{name: "cut in half", file: dumpFile, do: cut(half)},
	{name: "cut at the end", file: dumpFile, do: cut(last)},
	{name: "checksum", file: dumpFile, do: flipped(last)},
	{name: "a byte", file: dumpFile, do: flipped(half)},
	{name: "base: garbage", file: baseFile, do: with("REDIS0099xxxxxxxx"), appendOnly: true},
	{name: "base: cut in half", file: baseFile, do: cut(half), appendOnly: true},
	{name: "base: checksum", file: baseFile, do: flipped(last), appendOnly: true},
	{name: "base: commands", file: baseFile, do: with("*1\r\n$x\r\n"), appendOnly: true},
	{name: "increment: no number", file: incrFile, do: replaced("*3", "*x"), appendOnly: true},
	{name: "increment: no length", file: incrFile, do: replaced("$3", "$y"), appendOnly: true},
	{name: "increment: no command", file: incrFile, do: replaced("SET", "SXT"), appendOnly: true},
	{name: "increment: cut", file: incrFile, do: cut(last), appendOnly: true, config: map[string]string{"aof-load-truncated": "no"}},
	{name: "manifest: garbage", file: manifestFile, do: with("no manifest\n"), appendOnly: true},
	{name: "manifest: empty", file: manifestFile, do: with(""), appendOnly: true},
	{name: "manifest: a file that is not there", file: manifestFile, do: replaced("1.incr.aof", "7.incr.aof"), appendOnly: true},
}

// content returns the files below a folder, without the lock.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".redmoon.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return files
}

// After a load that has failed nobody gets anything but the error, no file is touched, and Close
// ends. REDMOON_STARTS sets how many engines start.
func TestNothingIsServedAfterAFailedLoad(t *testing.T) {
	whole := map[bool]string{}
	for _, appendOnly := range []bool{false, true} {
		dir := t.TempDir()
		e := start(t, persist.Options{Dir: dir, AppendOnly: appendOnly})
		for _, line := range []string{"SET abc 1", "RPUSH list a b c", "HSET hash f v", "SET end 1"} {
			do(t, e, line)
		}
		do(t, e, "SAVE")
		require.NoError(t, e.Close())
		whole[appendOnly] = dir
	}
	starts := tier.Number("REDMOON_STARTS", 2*len(damages), 1000)
	for n := range starts {
		d := damages[n%len(damages)]
		t.Run(d.name, func(t *testing.T) { failToLoad(t, d, whole[d.appendOnly]) })
	}
}

func failToLoad(t *testing.T, d damage, whole string) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
	path := filepath.Join(dir, filepath.FromSlash(d.file))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, d.do(data), 0o600))
	before := content(t, dir)

	o := persist.Options{Dir: dir, AppendOnly: d.appendOnly, Save: "1 1"}
	_, err = engine.New(engine.Options{Config: d.config, Persistence: persist.New(o)})
	require.Error(t, err)
	require.Equal(t, before, content(t, dir), "New without Background")

	o.Background = true
	e, err := engine.New(engine.Options{Config: d.config, Persistence: persist.New(o)})
	if err != nil { // it cannot even begin
		require.Equal(t, before, content(t, dir))
		return
	}
	var clients sync.WaitGroup
	for _, line := range []string{"SET k v", "GET abc", "SAVE", "BGSAVE", "BGREWRITEAOF", "FLUSHALL", "CONFIG SET save 1", "DBSIZE",
		"EVAL return(1) 0", "DEBUG RELOAD", "DEBUG LOADAOF", "CONFIG SET appendonly yes", "CONFIG SET appendonly no", "SHUTDOWN SAVE"} {
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
			if _, err := e.DoStrings(ctx, strings.Fields(line)...); err == nil || !strings.HasPrefix(err.Error(), "LOADING ") {
				t.Errorf("%s: %v", line, err)
			}
		})
	}
	loadErr := e.AwaitLoad(ctx)
	require.Error(t, loadErr)
	clients.Wait()
	_, err = e.Do(ctx, "PING")
	require.ErrorIs(t, err, loadErr)
	s, err := e.NewSession()
	require.NoError(t, err)
	b := engine.Batch{Commands: [][]string{{"PING"}, {"SET", "k", "v"}, {"MULTI"}}}
	require.NoError(t, s.RunBatch(context.Background(), &b))
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
	for command, d := range map[string]damage{
		"DEBUG RELOAD NOSAVE":         {file: dumpFile, do: cut(last)},
		"DEBUG RELOAD NOSAVE NOFLUSH": {file: dumpFile, do: flipped(last)},
		"DEBUG LOADAOF":               {file: incrFile, do: replaced("$3", "$y"), appendOnly: true},
	} {
		t.Run(command, func(t *testing.T) {
			dir, failed := t.TempDir(), make(chan error, 1)
			e := start(t, persist.Options{Dir: dir, AppendOnly: d.appendOnly, Save: "1 1", Failed: func(err error) { failed <- err }})
			do(t, e, "SET abc 1")
			do(t, e, "SAVE")
			path := filepath.Join(dir, filepath.FromSlash(d.file))
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, d.do(data), 0o600))
			before := content(t, dir)
			_, err = e.DoStrings(ctx, strings.Fields(command)...)
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
			require.NoError(t, spoil(filepath.Join(dir, dumpFile)))
			_, err := e.DoStrings(ctx, "DEBUG", "RELOAD", "NOSAVE")
			require.ErrorContains(t, err, "Error trying to load the RDB dump")
			require.EqualValues(t, 0, mustInt(t, e, "DBSIZE"))
			do(t, e, "SET abc 2")
		})
	}
}
