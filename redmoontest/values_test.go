package redmoontest_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestValues(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "s", "v", "EX", 60)
	e.MustDo("RPUSH", "l", "a", "b")
	e.MustDo("SADD", "set", "y", "x")
	e.MustDo("ZADD", "z", 2, "b", 1, "a")
	e.MustDo("HSET", "h", "f", "v")
	e.MustDo("XADD", "x", "1-1", "f", "v")
	require.Equal(t, "v", e.Get("s"))
	require.Equal(t, time.Minute, e.TTL("s"))
	require.Zero(t, e.TTL("l"))
	require.Equal(t, redmoontest.List{"a", "b"}, e.List("l"))
	require.Equal(t, redmoontest.Set{"x", "y"}, e.Members("set"))
	require.Equal(t, redmoontest.ZSet{{"a", 1}, {"b", 2}}, e.SortedSet("z"))
	require.Equal(t, "v", e.HGet("h", "f"))
	require.Equal(t, redmoontest.Stream{{ID: "1-1", Fields: []string{"f", "v"}}}, e.Stream("x"))
	require.Nil(t, e.List("none"))
	require.True(t, e.Exists("s", "l"))
	require.False(t, e.Exists("s", "none"))
	e.Advance(61 * time.Second)
	require.False(t, e.Exists("s"))
}

// What a test expects wrongly ends it, with a message that names the rule.
func TestWrongValues(t *testing.T) {
	for want, play := range map[string]func(*redmoontest.Engine){
		`redmoontest: Get("none"): there is no such key`:         func(e *redmoontest.Engine) { e.Get("none") },
		`redmoontest: "l" is a list, not a string`:               func(e *redmoontest.Engine) { e.Get("l") },
		`redmoontest: "l" is a list, not a hash`:                 func(e *redmoontest.Engine) { e.HGet("l", "f") },
		`redmoontest: HGet("none", "f"): there is no such field`: func(e *redmoontest.Engine) { e.HGet("none", "f") },
		`redmoontest: TTL("none"): there is no such key`:         func(e *redmoontest.Engine) { e.TTL("none") },
		"redmoontest: the keyspace is not as expected (- expected, + found):\n" +
			"- \"a\": \"1\"\n- \"l\": List{\"a\"}\n+ \"l\": List{\"x\"}\n": func(e *redmoontest.Engine) {
			e.RequireKeyspace(redmoontest.Keyspace{"a": "1", "l": redmoontest.List{"a"}})
		},
		`redmoontest: WRONGTYPE Operation against a key holding the wrong kind of ` +
			`value script: 186d46abd48471a3a4f9425e54587d2219ef1482, on @user_script:3.

script:3
  1 | redis.call('SET', KEYS[1], ARGV[1])
  2 | redis.call('GET', 'x')
> 3 | return redis.call('INCR', 'l')

KEYS [a]
ARGV [1 "two words"]

it called:
* SET a 1 -> OK
  GET x -> (nil)
  INCR l -> (error) WRONGTYPE Operation against a key holding the wrong kind of value
what a * marks was written before the script failed, and stays
`: func(e *redmoontest.Engine) {
			script := "redis.call('SET', KEYS[1], ARGV[1])\nredis.call('GET', 'x')\nreturn redis.call('INCR', 'l')\n"
			e.MustEval(script, []string{"a"}, 1, "two words")
		},
		"redmoontest: Advance(-1s): time does not go back; SetTime sets the clock": func(e *redmoontest.Engine) { e.Advance(-time.Second) },
	} {
		require.Equal(t, want, failureOf(func(t testing.TB) {
			e := redmoontest.New(t)
			e.MustDo("RPUSH", "l", "x")
			play(e)
		}))
	}
}

// failureOf returns what a test that fails prints.
func failureOf(test func(testing.TB)) (text string) {
	t := &recordingT{exampleT: exampleT{TB: &testing.T{}}}
	defer func() {
		_ = recover()
		for _, f := range t.cleanups {
			f()
		}
		text = t.text
	}()
	test(t)
	return ""
}

type recordingT struct {
	exampleT
	text string
}

func (t *recordingT) Fatalf(format string, args ...any) {
	t.text += fmt.Sprintf(format, args...)
	panic("the test has ended")
}

func (t *recordingT) Errorf(format string, args ...any) { t.text += fmt.Sprintf(format, args...) }

// With Rollback, a failed script leaves nothing, and the report does not say that anything stays.
func TestReportWithRollback(t *testing.T) {
	text := failureOf(func(t testing.TB) {
		e := redmoontest.New(t, redmoontest.WithRollback())
		defer func() { require.Empty(t, e.Keyspace()) }()
		e.MustEval("redis.call('SET', KEYS[1], 1) return redis.call('nosuch')", []string{"a"})
	})
	require.Contains(t, text, "* SET a 1 -> OK")
	require.NotContains(t, text, "stays")
}

// A restart keeps the data and the address, and ends everything else.
func TestRestart(t *testing.T) {
	e := redmoontest.New(t)
	ctx := context.Background()
	ping := func() string {
		c, err := net.Dial("tcp", e.Addr())
		require.NoError(t, err)
		defer c.Close()
		_, err = c.Write([]byte("GET k\r\n"))
		require.NoError(t, err)
		r := bufio.NewReader(c)
		_, err = r.ReadString('\n')
		require.NoError(t, err)
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	e.MustDo("SET", "k", "v", "EX", 60)
	sha := e.MustDo("SCRIPT", "LOAD", "return 1").Text()
	addr := e.Addr()
	require.Equal(t, "v\r\n", ping())
	sess, err := e.NewSession()
	require.NoError(t, err)

	e.Restart()
	_, err = sess.DoStrings(ctx, "PING")
	require.Error(t, err)
	require.Equal(t, addr, e.Addr())
	require.Equal(t, "v\r\n", ping())
	require.Equal(t, time.Minute, e.TTL("k"))
	_, err = e.EvalSHA(ctx, sha, nil)
	require.ErrorContains(t, err, "NOSCRIPT")
	e.FailNext("GET", "ERR after the restart")
	_, err = e.Do(ctx, "GET", "k")
	require.ErrorContains(t, err, "after the restart")
	e.Advance(61 * time.Second)
	require.False(t, e.Exists("k"))
}
