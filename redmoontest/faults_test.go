package redmoontest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestFaults(t *testing.T) {
	e := redmoontest.New(t)
	ctx := context.Background()
	fails := func(text string, args ...any) {
		t.Helper()
		_, err := e.Do(ctx, args...)
		require.EqualError(t, err, text)
	}
	e.FailNext("HSET", "OOM command not allowed")
	e.MustDo("SET", "a", 1)
	fails("OOM command not allowed", "hset", "h", "f", "v")
	e.MustDo("HSET", "h", "f", "v")

	remove := e.Inject(redmoontest.Fault{Key: "user:*", Times: -1})
	for range 3 {
		fails("ERR injected fault", "GET", "user:1")
		fails("ERR injected fault", "MGET", "a", "user:2")
	}
	e.MustDo("GET", "a")
	remove()
	e.MustDo("GET", "user:1")

	e.Inject(redmoontest.Fault{Command: "INCR", After: 1, Times: 2, InScripts: true})
	e.MustDo("INCR", "n")
	_, err := e.Eval(ctx, "redis.call('INCR', 'n') return redis.call('INCR', 'n')", nil)
	require.ErrorContains(t, err, "ERR injected fault")
	_, err = e.Eval(ctx, "return redis.call('INCR', 'n')", nil)
	require.Error(t, err)
	require.Equal(t, int64(3), e.MustEval("return redis.call('INCR', 'n')", nil).MustInt())

	e.SetError("LOADING Redis is loading the dataset in memory")
	fails("LOADING Redis is loading the dataset in memory", "PING")
	e.SetError("")
	e.MustDo("PING")
}

// A transaction is queued, and its command fails when it runs.
func TestFaultInATransaction(t *testing.T) {
	e := redmoontest.New(t)
	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	e.FailNext("SET", "ERR no")
	ctx := context.Background()
	for _, args := range [][]string{{"MULTI"}, {"SET", "a", "1"}, {"SET", "b", "2"}} {
		_, err := sess.DoStrings(ctx, args...)
		require.NoError(t, err)
	}
	v, err := sess.DoStrings(ctx, "EXEC")
	require.NoError(t, err)
	require.True(t, v.Slice()[0].IsError())
	e.RequireKeyspace(redmoontest.Keyspace{"b": "2"})
}

func TestCalls(t *testing.T) {
	e := redmoontest.New(t)
	e.MustEval("redis.call('SET', KEYS[1], 'two words') return redis.call('GET', KEYS[1])", []string{"k"})
	var lines []string
	for _, c := range e.ScriptCalls() {
		lines = append(lines, c.String())
	}
	require.Equal(t, []string{`SET k "two words" -> OK`, `GET k -> "two words"`}, lines)
	require.Len(t, e.Calls(), 3)
	require.True(t, e.ScriptCalls()[0].Write)
	e.ResetCalls()
	require.Empty(t, e.Calls())
	for range 20_001 {
		e.MustDo("PING")
	}
	require.GreaterOrEqual(t, len(e.Calls()), 5_000)
	require.LessOrEqual(t, len(e.Calls()), 10_000)
}
