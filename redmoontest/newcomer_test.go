package redmoontest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis/goredistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

func TestFastForwardIsAdvance(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "k", "v", "EX", 10)
	e.FastForward(11 * time.Second)
	require.False(t, e.Exists("k"))
	require.Equal(t, int64(redmoontest.Start+11), e.Now().Unix())
}

func TestSnapshots(t *testing.T) {
	e := redmoontest.New(t)
	e.MustDo("SET", "stock", 3, "EX", 60)
	full := e.MustSnapshot()
	for range 2 {
		e.MustDo("DECR", "stock")
		e.MustRestore(full)
		e.RequireKeyspace(redmoontest.Keyspace{"stock": "3"})
		require.Equal(t, time.Minute, e.TTL("stock"))
	}
	e.Restart()
	require.Contains(t, failureOf(func(inner testing.TB) { redmoontest.New(inner).MustRestore(full) }), "the snapshot is of another engine")
}

func TestSetErrorOnSome(t *testing.T) {
	e := redmoontest.New(t)
	ctx := context.Background()
	e.SetError("OOM no", redmoontest.Fault{Command: "hset", Key: "cart:*", Times: 2}, redmoontest.Fault{Command: "GET"})
	for range 2 {
		_, err := e.Do(ctx, "HSET", "cart:1", "f", "v")
		require.EqualError(t, err, "OOM no")
	}
	e.MustDo("HSET", "cart:1", "f", "v")
	for range 9 {
		_, err := e.Do(ctx, "GET", "k")
		require.EqualError(t, err, "OOM no")
	}
	e.SetError("")
	e.MustDo("GET", "k")
}

// In a bubble of synctest, an engine with real time follows the clock of the bubble.
func TestWithRealTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := redmoontest.New(t, redmoontest.WithRealTime())
		rdb := goredistest.Client(t, e)
		require.NoError(t, rdb.Set(t.Context(), "k", "v", time.Minute).Err())
		require.Equal(t, time.Now(), e.Now())
		time.Sleep(59 * time.Second)
		require.Equal(t, time.Second, e.TTL("k"))
		time.Sleep(2 * time.Second)
		require.False(t, e.Exists("k"))
	})
}

// The usual engine works in a bubble, too: its clock moves with Advance only.
func TestVirtualTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := redmoontest.New(t)
		e.MustDo("SET", "k", "v", "EX", 60)
		popped := make(chan string)
		go func() {
			v, err := e.Do(t.Context(), "BLPOP", "l", 60)
			if err != nil {
				popped <- err.Error()
				return
			}
			popped <- v.String()
		}()
		synctest.Wait()
		time.Sleep(time.Hour)
		require.True(t, e.Exists("k"))
		e.Advance(61 * time.Second)
		require.False(t, e.Exists("k"))
		require.Equal(t, "(nil)", <-popped)
	})
}

func TestRealTimeHasNoClockToMove(t *testing.T) {
	for method, move := range map[string]func(*redmoontest.Engine){
		"Advance": func(e *redmoontest.Engine) { e.Advance(time.Second) }, "SetTime": func(e *redmoontest.Engine) { e.SetTime(time.Unix(1, 0)) },
	} {
		text := failureOf(func(t testing.TB) { move(redmoontest.New(t, redmoontest.WithRealTime())) })
		require.Contains(t, text, "redmoontest: "+method+": the engine follows the machine's clock (WithRealTime)")
	}
}

// A command that runs a script shows what the script has called.
func TestReportOfACommand(t *testing.T) {
	play := func(body string) string {
		return failureOf(func(t testing.TB) {
			e := redmoontest.New(t)
			e.MustDo("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function(keys)\n"+body+"\nerror('no') end)")
			e.MustDo("FCALL", "f", 1, "k")
		})
	}
	require.Equal(t, "redmoontest: ERR user_function:4: no script: f, on @user_function:4.\n\nit called:\n* SET k 1 -> OK\n  GET k -> \"1\"\n"+
		"what a * marks was written before the script failed, and stays\n", play("redis.call('SET', keys[1], 1) redis.call('GET', keys[1])"))

	long := play("for i = 1, 40 do redis.call('SET', keys[1], i) end for i = 1, 30 do redis.call('GET', keys[1]) end")
	require.Contains(t, long, "  ... 50 calls\n")
	require.Contains(t, long, "\nwritten before the script failed, and kept:\n  SET k 1\n")
	require.Contains(t, long, "  SET k 32\n  ... 8 more\n")
}

// Replies are plain Go values for require.Equal.
func TestPlainReplies(t *testing.T) {
	e := redmoontest.New(t)
	require.Equal(t, []any{"ann", int64(2), []any{nil}}, e.MustEval("return {'ann', 2, {false}}", nil).Plain())
}
