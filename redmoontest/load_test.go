package redmoontest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

// users.rdb was saved by redis-server 7.0.15.
const users = "testdata/users.rdb"

// A test of a script on keys and functions that a redis-server has saved.
func ExampleEngine_Load() {
	run(func(t testing.TB) { // func TestSpend(t *testing.T)
		e := redmoontest.New(t)
		e.Load("testdata/users.rdb", redmoontest.WithMatch("user:*"))

		require.Equal(t, int64(2), e.MustDo("FCALL", "spend", 1, "user:1").MustInt())
		require.Equal(t, redmoontest.Keyspace{
			"user:1":         redmoontest.Hash{"name": "Ada", "credit": "2"},
			"user:2":         redmoontest.Hash{"name": "Bob", "credit": "0"},
			"user:2:blocked": "1",
		}, e.Keyspace())

		e.Advance(2 * time.Hour)
		require.Equal(t, []string{"user:1", "user:2"}, e.Keyspace().Keys())
	})
	// Output: PASS
}

func TestLoadLeavesOutWhatHasExpired(t *testing.T) {
	e := redmoontest.New(t)
	require.Equal(t, 4, e.Load(users).Keys)
	require.Equal(t, map[string]time.Duration{"user:2:blocked": time.Hour}, e.TTLs())

	e = redmoontest.New(t, redmoontest.WithStart(time.Unix(redmoontest.Start+7200, 0)))
	res := e.Load(users)
	require.Equal(t, 3, res.Keys)
	require.Equal(t, 1, res.Expired)
}

func TestLoadOfCommandsAndJSON(t *testing.T) {
	e := redmoontest.New(t)
	require.Equal(t, 5, e.Load("testdata/shop.json").Keys)
	e.RequireKeyspace(redmoontest.Keyspace{"stock": "10", "buyers": redmoontest.List{"ann", "bob"},
		"user:1": redmoontest.Hash{"name": "Ann"}, "session": "token"})
	require.Equal(t, time.Minute, e.TTL("session"))
	e.Load("testdata/shop.redis")
	require.Equal(t, "Ann Lee", e.HGet("user:1", "name"))

	wrong := filepath.Join(t.TempDir(), "wrong.redis")
	require.NoError(t, os.WriteFile(wrong, []byte("SET k v\nNOSUCH x\n"), 0o600))
	require.Contains(t, failureOf(func(t testing.TB) { redmoontest.New(t).Load(wrong) }), "NOSUCH x: ERR unknown command")
}

func TestLoadReplacesOnRequest(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "user:1", "mine")
	require.Equal(t, 1, e.Load(users, redmoontest.WithMatch("order*"), redmoontest.WithMatch("nosuch")).Keys)
	require.Equal(t, 4, e.Load(users, redmoontest.WithReplace()).Keys)
	require.Equal(t, "Ada", e.MustDo("HGET", "user:1", "name").Text())
}

func TestLoadEndsTheTestWithTheReason(t *testing.T) {
	whole, err := os.ReadFile(users)
	require.NoError(t, err)
	torn := filepath.Join(t.TempDir(), "torn.rdb")
	require.NoError(t, os.WriteFile(torn, whole[:100], 0o600))
	for path, want := range map[string]string{
		"testdata/nosuch.rdb": "redmoontest: load: open testdata/nosuch.rdb: no such file or directory",
		torn:                  "torn.rdb: Short read or OOM loading DB. Unrecoverable error, aborting now. (offset ",
		users:                 `users.rdb: redmoon: load: key "user:1" of database 0 exists`,
	} {
		failing := &failingT{TB: t}
		loader := redmoontest.New(failing)
		loader.MustDo("SET", "user:1", "mine")
		before := loader.Keyspace()
		require.Panics(t, func() { loader.Load(path) }, path)
		require.Contains(t, failing.reason, want)
		require.Equal(t, before, loader.Keyspace())
	}
}

// failingT notes why the test was ended.
type failingT struct {
	testing.TB
	reason string
}

func (t *failingT) Fatalf(format string, args ...any) {
	t.reason = strings.TrimSpace(fmt.Sprintf(format, args...))
	panic("the test has ended")
}
