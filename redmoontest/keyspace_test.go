package redmoontest_test

import (
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/stretchr/testify/require"
)

func fill(e *redmoontest.Engine) {
	e.MustDo("SET", "s", "v", "PX", 1500)
	e.MustDo("RPUSH", "l", "b", "a", "b")
	e.MustDo("HSET", "h", "f", 1, "g", "x\x00")
	e.MustDo("SADD", "set", "z", "a", 5)
	e.MustDo("ZADD", "zs", 2.5, "b", -1, "c")
}

func TestKeyspaceIsPlainGo(t *testing.T) {
	e := redmoontest.New(t)
	require.Empty(t, e.Keyspace())
	fill(e)
	require.Equal(t, redmoontest.Keyspace{
		"s":   "v",
		"l":   redmoontest.List{"b", "a", "b"},
		"h":   redmoontest.Hash{"f": "1", "g": "x\x00"},
		"set": redmoontest.Set{"5", "a", "z"},
		"zs":  redmoontest.ZSet{{"c", -1}, {"b", 2.5}},
	}, e.Keyspace())
	require.Empty(t, e.KeyspaceDB(1))
}

func TestKeyspaceHoldsStreams(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("XADD", "x", "5-1", "f", "1", "g", "2")
	e.MustDo("XADD", "x", "6-0", "h", "3")
	e.MustDo("XGROUP", "CREATE", "empty", "group", "$", "MKSTREAM")
	require.Equal(t, redmoontest.Keyspace{
		"x":     redmoontest.Stream{{ID: "5-1", Fields: []string{"f", "1", "g", "2"}}, {ID: "6-0", Fields: []string{"h", "3"}}},
		"empty": redmoontest.Stream{},
	}, e.Keyspace())
}

func TestKeyspaceIsPrintedSorted(t *testing.T) {
	e := redmoontest.New(t)
	fill(e)
	e.MustDo("DEL", "h")
	require.Equal(t, []string{"l", "s", "set", "zs"}, e.Keyspace().Keys())
	require.Equal(t, `"l": List{"b", "a", "b"}
"s": "v"
"set": Set{"5", "a", "z"}
"zs": ZSet{Member{Name:"c", Score:-1}, Member{Name:"b", Score:2.5}}
`, e.Keyspace().String())
}

func TestLookingDoesNotCountAsAccess(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "k", "v")
	e.Advance(time.Minute)
	e.Keyspace()
	require.Equal(t, int64(60), e.MustDo("OBJECT", "IDLETIME", "k").MustInt())
}

func TestAdvanceRemovesKeysOnTime(t *testing.T) {
	e := redmoontest.New(t)
	fill(e)
	e.MustDo("PEXPIRE", "l", 2000)
	require.Equal(t, map[string]time.Duration{"s": 1500 * time.Millisecond, "l": 2 * time.Second}, e.TTLs())
	e.Advance(1500 * time.Millisecond)
	require.Equal(t, map[string]time.Duration{"s": 0, "l": 500 * time.Millisecond}, e.TTLs())
	e.Advance(time.Millisecond)
	require.Equal(t, int64(4), e.MustDo("DBSIZE").MustInt(), "removed without being looked at")
	e.Advance(time.Hour)
	require.Equal(t, int64(3), e.MustDo("DBSIZE").MustInt())
	require.Empty(t, e.TTLs())
}

func TestKeysThatExpireOneAfterAnotherAreAllGone(t *testing.T) {
	e := redmoontest.New(t)
	for i := range 50 {
		e.MustDo("SET", i, "v", "PX", 1000+100*i)
	}
	e.Advance(time.Minute)
	require.Zero(t, e.MustDo("DBSIZE").MustInt())
}
