package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

const library = "#!lua name=lib\nredis.register_function('answer', function() return 42 end)"

// allTypes fills two databases with keys of all types and encodings.
const allTypes = `
local call = redis.call
for db = 0, 3, 3 do
	call('select', db)
	call('set', 'int', 17)
	call('set', 'raw', string.rep('x', 100))
	call('set', 'bytes', '\0\255\n')
	call('set', 'volatile', 'v', 'px', 1000000 + db)
	call('rpush', 'list', 'a', 'b', 3)
	call('sadd', 'intset', 1, 2, 70000)
	call('hset', 'hash', 'f', 'v', 'g', 2)
	call('zadd', 'zset', 1.5, 'a', -2, 'b')
	call('pfadd', 'hll', 'a', 'b')
	for i = 1, 700 do
		call('rpush', 'long list', 'element ' .. i)
		call('sadd', 'long set', 'member ' .. i)
		call('hset', 'long hash', 'field ' .. i, i)
		call('zadd', 'long zset', i / 8, 'member ' .. i)
		call('xadd', 'stream', i .. '-1', 'n', i)
	end
	call('xgroup', 'create', 'stream', 'group', 0)
	call('xreadgroup', 'group', 'group', 'consumer', 'count', 3, 'streams', 'stream', '>')
end
call('select', 0)`

// dumpOf writes the keys that fill has put into a store, and libraries.
func dumpOf(t *testing.T, fill func(*datastore.Store), libraries ...string) []byte {
	t.Helper()
	st := datastore.New(datastore.Options{})
	fill(st)
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{Functions: libraries}))
	return b.Bytes()
}

// stringsDump is a file with strings in database 0: keys and their values.
func stringsDump(t *testing.T, pairs ...string) []byte {
	return dumpOf(t, func(st *datastore.Store) {
		for i := 0; i < len(pairs); i += 2 {
			st.DB(0).SetString(pairs[i], pairs[i+1], false)
		}
	})
}

func load(t *testing.T, e *engine.Engine, file []byte, o engine.LoadOptions) engine.LoadResult {
	t.Helper()
	res, err := e.LoadRDB(context.Background(), bytes.NewReader(file), o)
	require.NoError(t, err)
	require.NoError(t, e.Check(context.Background()))
	return res
}

// content is everything that a failed load must leave as it was.
func content(t *testing.T, e *engine.Engine) string {
	t.Helper()
	return do(t, e, "DEBUG", "DIGEST").Text() + do(t, e, "FUNCTION", "DUMP").Text()
}

func TestLoadOfAFileOfTheOracle(t *testing.T) {
	redistest.Need(t)
	oracle, err := redistest.Start()
	require.NoError(t, err)
	defer oracle.Stop()
	ask := func(args ...string) engine.Value {
		v, err := oracle.Do(args...)
		require.NoError(t, err)
		require.NoError(t, v.Err())
		return v
	}
	ask("EVAL", allTypes, "0")
	ask("FUNCTION", "LOAD", library)
	ask("DEBUG", "RELOAD") // which saves, and chooses encodings again
	path := filepath.Join(oracle.Dir, "dump.rdb")

	e, err := engine.New(engine.Options{Config: map[string]string{"maxmemory": "1gb"}}) // memory is counted
	require.NoError(t, err)
	defer e.Close()
	res, err := e.LoadRDBFile(context.Background(), path, engine.LoadOptions{})
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, engine.LoadResult{Version: 10, Bytes: info.Size(), Keys: 28, Libraries: []string{"lib"}}, res)
	require.NoError(t, e.Check(context.Background()))

	require.Equal(t, ask("DEBUG", "DIGEST").Text(), do(t, e, "DEBUG", "DIGEST").Text())
	require.Equal(t, ask("FUNCTION", "DUMP").Text(), do(t, e, "FUNCTION", "DUMP").Text())
	require.Equal(t, int64(42), do(t, e, "FCALL", "answer", 0).MustInt())
	for db := range 16 {
		sess, err := e.NewSession()
		require.NoError(t, err)
		do(t, sess, "SELECT", db)
		ask("SELECT", strconv.Itoa(db))
		keys := ask("EVAL", "redis.call('select', ARGV[1]) return redis.call('keys', '*')", "0", strconv.Itoa(db)).Strings()
		require.Equal(t, int64(len(keys)), do(t, sess, "DBSIZE").MustInt())
		for _, key := range keys {
			for _, command := range [][]string{{"OBJECT", "ENCODING"}, {"PEXPIRETIME"}, {"DUMP"}} {
				if command[0] == "DUMP" && slices.Contains([]string{"long set", "long hash"}, key) {
					continue // the order of the elements is not determined
				}
				script := "redis.call('select', ARGV[1]) table.remove(ARGV, 1) return redis.call(unpack(ARGV))"
				args := append([]string{"EVAL", script, "0", strconv.Itoa(db)}, append(command, key)...)
				var ours []any
				for _, a := range append(command, key) {
					ours = append(ours, a)
				}
				require.Equal(t, ask(args...).String(), do(t, sess, ours...).String(), "%s %s", command, key)
			}
		}
		sess.Close()
	}
}

func TestLoadChoosesKeys(t *testing.T) {
	file := dumpOf(t, func(st *datastore.Store) {
		for _, key := range []string{"user:1", "user:2", "order:1", "", "x"} {
			st.DB(0).SetString(key, "v", false)
		}
		st.DB(2).SetString("user:3", "v", false)
	})
	for _, c := range []struct {
		o    engine.LoadOptions
		want []string
	}{
		{engine.LoadOptions{}, []string{"", "order:1", "user:1", "user:2", "x"}},
		{engine.LoadOptions{Match: []string{"*"}}, []string{"", "order:1", "user:1", "user:2", "x"}},
		{engine.LoadOptions{Match: []string{"user:*", "[wx]"}}, []string{"user:1", "user:2", "x"}},
		{engine.LoadOptions{Match: []string{"USER:*"}}, []string{}},
		{engine.LoadOptions{Match: []string{"user:*"}, Filter: func(db int, key string) bool { return db == 0 && key != "user:1" }},
			[]string{"user:2"}},
	} {
		e := virtualEngine(t, 1)
		res := load(t, e, file, c.o)
		keys := do(t, e, "KEYS", "*").Strings()
		slices.Sort(keys)
		require.Equal(t, c.want, keys)
		require.Equal(t, 6, res.Keys+res.Skipped)
	}
}

func TestADamagedFileChangesNothing(t *testing.T) {
	file := dumpOf(t, func(st *datastore.Store) {
		for i := range 20 {
			st.DB(i%3).SetString("key "+strconv.Itoa(i), strings.Repeat("v", i), false)
		}
	}, library)
	e := virtualEngine(t, 1)
	fill(t, e)
	do(t, e, "FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('f', function() return 1 end)")
	before := content(t, e)
	for i := range file {
		for _, damaged := range [][]byte{
			file[:i],
			append(append(slices.Clone(file[:i]), file[i]^0x10), file[i+1:]...),
		} {
			if i < 9 && len(damaged) == len(file) {
				continue // the version of an earlier format, which may have no checksum
			}
			_, err := e.LoadRDB(context.Background(), bytes.NewReader(damaged), engine.LoadOptions{Replace: true})
			require.Error(t, err, i)
		}
		if i%50 == 0 {
			require.Equal(t, before, content(t, e))
		}
	}
	require.Equal(t, before, content(t, e))
	var damage *datastore.FileError
	_, err := e.LoadRDB(context.Background(), bytes.NewReader(file[:len(file)/2]), engine.LoadOptions{})
	require.ErrorAs(t, err, &damage)
	require.ErrorIs(t, err, datastore.ErrFileShort)
	require.ErrorContains(t, err, "offset")
}

func TestLoadNamesTheFile(t *testing.T) {
	e := virtualEngine(t, 1)
	_, err := e.LoadRDBFile(context.Background(), "nosuch.rdb", engine.LoadOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "nosuch.rdb")
	path := filepath.Join(t.TempDir(), "bad.rdb")
	require.NoError(t, os.WriteFile(path, []byte("REDIS0010?"), 0o600))
	_, err = e.LoadRDBFile(context.Background(), path, engine.LoadOptions{})
	require.ErrorContains(t, err, "bad.rdb: ")
}

func TestLoadIntoKeysThatExist(t *testing.T) {
	e := virtualEngine(t, 1)
	do(t, e, "CONFIG", "SET", "maxmemory", "1gb")
	do(t, e, "RPUSH", "b", "mine")
	do(t, e, "SET", "c", "mine", "PX", 100)
	file := stringsDump(t, "a", "1", "b", "2", "c", "3")
	_, err := e.LoadRDB(context.Background(), bytes.NewReader(file), engine.LoadOptions{Match: []string{"[ab]"}})
	require.EqualError(t, err, `redmoon: load: key "b" of database 0 exists`)
	require.Zero(t, do(t, e, "EXISTS", "a").MustInt())

	require.Equal(t, 3, load(t, e, file, engine.LoadOptions{Replace: true}).Keys)
	require.Equal(t, []string{"1", "2", "3"}, do(t, e, "MGET", "a", "b", "c").Strings())
	require.Equal(t, int64(-1), do(t, e, "PTTL", "c").MustInt())
}

func TestAKeyThatHasExpiredIsNoObstacle(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	do(t, e, "DEBUG", "SET-ACTIVE-EXPIRE", 0)
	do(t, e, "SET", "k", "old", "PX", 10)
	clock.Advance(time.Second)
	load(t, e, stringsDump(t, "k", "new"), engine.LoadOptions{})
	require.Equal(t, "new", do(t, e, "GET", "k").Text())
}

func TestLoadedKeysExpire(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	clock := engine.NewVirtualClock(now)
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	file := dumpOf(t, func(st *datastore.Store) {
		for key, after := range map[string]int64{"past": -1, "soon": 1000, "later": 5000} {
			st.DB(0).SetString(key, "v", false)
			st.DB(0).SetExpire(st.DB(0).Raw(key), now.UnixMilli()+after)
		}
	})
	res := load(t, e, file, engine.LoadOptions{})
	require.Equal(t, 2, res.Keys)
	require.Equal(t, 1, res.Expired)
	clock.Advance(1001 * time.Millisecond)
	require.Equal(t, []string{"later"}, do(t, e, "KEYS", "*").Strings())
	require.Equal(t, int64(1), do(t, e, "DBSIZE").MustInt(), "removed without being looked at")
	require.NoError(t, e.Check(context.Background()))
}

func TestLoadNotifiesSessions(t *testing.T) {
	e := virtualEngine(t, 1)
	session := func() *engine.Session {
		s, err := e.NewSession()
		require.NoError(t, err)
		return s
	}
	loaded, other, tracking := session(), session(), session()
	do(t, loaded, "WATCH", "a")
	do(t, other, "WATCH", "z")
	do(t, tracking, "HELLO", 3)
	do(t, tracking, "CLIENT", "TRACKING", "ON")
	do(t, tracking, "GET", "a")
	popped := make(chan engine.Value)
	waiting := session()
	go func() {
		v, _ := waiting.Do(context.Background(), "BLPOP", "list", 0)
		popped <- v
	}()
	patience.Until(t, func() bool {
		return strings.Contains(do(t, e, "INFO", "clients").Text(), "blocked_clients:1\r\n")
	})

	dirty := do(t, e, "INFO", "persistence").Text()
	load(t, e, dumpOf(t, func(st *datastore.Store) {
		st.DB(0).SetString("a", "1", false)
		l, _ := st.DB(0).ListForWrite("list")
		l.PushBack("x")
	}), engine.LoadOptions{})
	require.NotEqual(t, dirty, do(t, e, "INFO", "persistence").Text())
	require.Equal(t, []string{"list", "x"}, (<-popped).Strings())
	m := <-tracking.Messages()
	require.Equal(t, "invalidate", m.Kind)
	for s, broken := range map[*engine.Session]bool{loaded: true, other: false} {
		do(t, s, "MULTI")
		do(t, s, "PING")
		require.Equal(t, broken, do(t, s, "EXEC").IsNil())
	}
}

func TestLibrariesOfAFile(t *testing.T) {
	ctx, nothing := context.Background(), func(*datastore.Store) {}
	e := virtualEngine(t, 1)
	file := dumpOf(t, func(st *datastore.Store) { st.DB(0).SetString("k", "v", false) }, library)
	require.Equal(t, []string{"lib"}, load(t, e, file, engine.LoadOptions{}).Libraries)
	require.Equal(t, int64(42), do(t, e, "FCALL", "answer", 0).MustInt())
	require.Empty(t, load(t, e, file, engine.LoadOptions{Replace: true}).Libraries, "the same library again")

	other := strings.Replace(library, "42", "43", 1)
	file = dumpOf(t, func(st *datastore.Store) { st.DB(0).SetString("new", "v", false) }, other)
	before := content(t, e)
	_, err := e.LoadRDB(ctx, bytes.NewReader(file), engine.LoadOptions{})
	require.EqualError(t, err, "redmoon: load: ERR Library lib already exists")
	require.Equal(t, before, content(t, e))
	load(t, e, file, engine.LoadOptions{Replace: true})
	require.Equal(t, int64(43), do(t, e, "FCALL", "answer", 0).MustInt())

	before = content(t, e)
	for _, text := range []string{
		"#!lua name=broken\nreturn ==", "no shebang", "#!lua name=empty\n", strings.Replace(library, "name=lib", "name=clash", 1),
	} {
		_, err = e.LoadRDB(ctx, bytes.NewReader(dumpOf(t, nothing, text)), engine.LoadOptions{Replace: true})
		require.Error(t, err, text)
	}
	for _, twice := range [][]string{{library, other}, {other, library}, {other, other}} {
		_, err = e.LoadRDB(ctx, bytes.NewReader(dumpOf(t, nothing, twice...)), engine.LoadOptions{Replace: true})
		require.ErrorContains(t, err, "Library 'lib' already exists")
	}
	require.Equal(t, before, content(t, e))
}

// endlessDump is a file with keys without end.
func endlessDump(between func()) io.Reader {
	n := 0
	return io.MultiReader(strings.NewReader("REDIS0010"), readFunc(func(p []byte) (int, error) {
		between()
		n++
		key := strconv.Itoa(n)
		return copy(p, "\x00"+string(rune(len(key)))+key+"\x01v"), nil
	}))
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestALoadEndsWithItsCaller(t *testing.T) {
	e := virtualEngine(t, 1)
	ctx, cancel := context.WithCancel(context.Background())
	reads := 0
	_, err := e.LoadRDB(ctx, endlessDump(func() {
		if reads++; reads == 100 {
			cancel()
		}
	}), engine.LoadOptions{})
	require.Equal(t, context.Canceled, err)
	require.Zero(t, do(t, e, "DBSIZE").MustInt())
	_, err = e.LoadRDB(ctx, nil, engine.LoadOptions{})
	require.Equal(t, context.Canceled, err)
}

func TestCloseEndsALoad(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	loading, closed := make(chan struct{}), make(chan error)
	go func() {
		<-loading
		closed <- e.Close()
	}()
	reads := 0
	_, err = e.LoadRDB(context.Background(), endlessDump(func() {
		if reads++; reads == 10 {
			close(loading)
		}
	}), engine.LoadOptions{Filter: func(int, string) bool { return false }})
	require.Equal(t, engine.ErrClosed, err)
	require.NoError(t, <-closed)
	_, err = e.LoadRDB(context.Background(), nil, engine.LoadOptions{})
	require.Equal(t, engine.ErrClosed, err)
}

func TestFunctionsOfTheCallerDoNoHarm(t *testing.T) {
	e := virtualEngine(t, 1)
	file := stringsDump(t, "a", "1", "b", "2")
	var inner error
	_, err := e.LoadRDB(context.Background(), bytes.NewReader(file), engine.LoadOptions{Filter: func(_ int, key string) bool {
		_, inner = e.Do(context.Background(), "PING")
		if key == "b" {
			panic("no such key")
		}
		return true
	}})
	require.ErrorContains(t, err, "no such key")
	require.ErrorIs(t, inner, engine.ErrReentrant)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = e.LoadRDB(context.Background(), bytes.NewReader(file), engine.LoadOptions{Progress: func(int64) { runtime.Goexit() }})
		t.Error("the goroutine goes on")
	}()
	<-ended
	failing := errors.New("the disk is gone")
	torn := io.MultiReader(bytes.NewReader(file[:40]), readFunc(func([]byte) (int, error) { return 0, failing }))
	_, err = e.LoadRDB(context.Background(), torn, engine.LoadOptions{})
	require.ErrorIs(t, err, failing)
	require.Zero(t, do(t, e, "DBSIZE").MustInt())
}

func TestProgressOfALoad(t *testing.T) {
	e := virtualEngine(t, 1)
	file := stringsDump(t, "a", strings.Repeat("x", 3<<20), "b", strings.Repeat("y", 3<<20))
	var reads []int64
	load(t, e, file, engine.LoadOptions{Progress: func(read int64) { reads = append(reads, read) }})
	require.Greater(t, len(reads), 2)
	require.True(t, slices.IsSorted(reads))
	require.LessOrEqual(t, reads[len(reads)-1], int64(len(file)))
}

func TestShardsLoadTheirKeys(t *testing.T) {
	c, err := engine.NewCluster(3, engine.Options{})
	require.NoError(t, err)
	defer c.Close()
	var pairs []string
	for i := range 60 {
		pairs = append(pairs, "key "+strconv.Itoa(i), strconv.Itoa(i))
	}
	for _, e := range c.Shards() {
		load(t, e, stringsDump(t, pairs...), engine.LoadOptions{})
	}
	for i := range 60 {
		require.Equal(t, strconv.Itoa(i), do(t, c, "GET", "key "+strconv.Itoa(i)).Text())
	}
	require.Equal(t, int64(60), do(t, c, "DBSIZE").MustInt())
}

func TestAClusterHasOneDatabase(t *testing.T) {
	e, err := engine.New(engine.Options{Cluster: true})
	require.NoError(t, err)
	defer e.Close()
	file := dumpOf(t, func(st *datastore.Store) { st.DB(1).SetString("k", "v", false) })
	_, err = e.LoadRDB(context.Background(), bytes.NewReader(file), engine.LoadOptions{})
	require.Error(t, err)
	load(t, e, stringsDump(t, "{a}1", "v", "{a}2", "v"), engine.LoadOptions{})
	require.Equal(t, int64(2), do(t, e, "CLUSTER", "COUNTKEYSINSLOT", engine.Slot("a")).MustInt())
}

func TestTheServerChoosesTheFormat(t *testing.T) {
	st := datastore.New(datastore.Options{})
	h, err := st.DB(0).HashForWrite("h")
	require.NoError(t, err)
	h.Set("f", "v")
	var b bytes.Buffer
	require.NoError(t, rdbfile.Write(&b, st, rdbfile.Writing{Version: 12}))
	for _, server := range []string{"7.0", "7.4", "8.0"} {
		e, err := engine.New(engine.Options{Server: server})
		require.NoError(t, err)
		defer e.Close()
		_, err = e.LoadRDB(context.Background(), bytes.NewReader(b.Bytes()), engine.LoadOptions{})
		if server == "7.0" {
			require.ErrorIs(t, err, datastore.ErrFileVersion)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "v", do(t, e, "HGET", "h", "f").Text())
	}
}
