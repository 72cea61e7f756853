package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// TestProbe shows which commands a probe sees, and what refusals do.
func TestProbe(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	var seen []string
	refuse := ""
	require.NoError(t, e.SetProbe(ctx, &engine.Probe{
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			if strings.EqualFold(c.Args[0], refuse) {
				return &engine.Error{Code: "OOM", Message: "no room"}
			}
			return nil
		},
		Ran: func(c engine.ProbedCommand, v engine.Value) {
			seen = append(seen, fmt.Sprintf("%v %v %t %t %t -> %s", c.Args, c.Keys(), c.Script, c.Exec, c.Write, v))
		},
	}))
	see := func(args ...string) (engine.Value, error) {
		seen = nil
		return e.DoStrings(ctx, args...)
	}
	_, err := see("EVAL", "redis.pcall('SET', KEYS[1], 1) return redis.call('GET', KEYS[1])", "1", "k")
	require.NoError(t, err)
	require.Equal(t, []string{"[SET k 1] [k] true false true -> OK", "[GET k] [k] true false false -> \"1\""}, seen[:2])
	require.Len(t, seen, 3)

	refuse = "GET"
	_, err = see("EVAL", "redis.call('SET', KEYS[1], 2) return redis.call('GET', KEYS[1])", "1", "k")
	require.ErrorContains(t, err, "OOM no room")
	require.Equal(t, "[GET k] [k] true false false -> (error) OOM no room", seen[1])
	refuse = ""
	v, err := see("GET", "k")
	require.NoError(t, err)
	require.Equal(t, "2", v.Text(), "what was written before stays")

	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	refuse = "SET"
	for _, command := range [][]string{{"MULTI"}, {"SET", "k", "3"}, {"GET", "k"}} {
		_, err = sess.DoStrings(ctx, command...)
		require.NoError(t, err)
	}
	v, err = sess.DoStrings(ctx, "EXEC")
	require.NoError(t, err)
	require.True(t, v.Slice()[0].IsError())
	require.Equal(t, "2", v.Slice()[1].Text())

	require.NoError(t, e.SetProbe(ctx, nil))
	_, err = see("SET", "k", "4")
	require.NoError(t, err)
	require.Empty(t, seen)
}

// A probe can answer in place of a command, in scripts, in transactions and for clients.
func TestProbeAnswers(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	var seen []string
	require.NoError(t, e.SetProbe(ctx, &engine.Probe{
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			if c.Args[0] == "del" {
				return &engine.Error{Code: "ERR", Message: "no"}
			}
			return nil
		},
		Answer: func(c engine.ProbedCommand) (engine.Value, bool) {
			switch strings.ToLower(c.Args[0]) {
			case "get", "del":
				return reply.Array(reply.Int(1), reply.Bulk(c.Args[1])), true
			case "set":
				return reply.Err("OOM stubbed"), true
			}
			return engine.Value{}, false
		},
		Ran: func(c engine.ProbedCommand, v engine.Value) { seen = append(seen, c.Args[0]+" "+v.Kind().String()) },
	}))
	v, err := e.DoStrings(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, []string{"1", "k"}, v.Strings())
	_, err = e.DoStrings(ctx, "SET", "k", "v")
	require.ErrorIs(t, err, engine.ErrOOM)
	_, err = e.DoStrings(ctx, "del", "k")
	require.ErrorContains(t, err, "ERR no", "what is refused is not answered")
	v, err = e.DoStrings(ctx, "EVAL", "return redis.call('GET', 'x')[2] .. redis.pcall('SET', 'a', 1).err", "0")
	require.NoError(t, err)
	require.Equal(t, "xOOM stubbed", v.Text())
	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	for _, command := range [][]string{{"MULTI"}, {"GET", "k"}} {
		_, err = sess.DoStrings(ctx, command...)
		require.NoError(t, err)
	}
	v, err = sess.DoStrings(ctx, "EXEC")
	require.NoError(t, err)
	require.Equal(t, "k", v.Slice()[0].Slice()[1].Text())
	require.Equal(t, "GET array", seen[0])
	require.Equal(t, "SET error", seen[1])
}

// A probe sees that a command waits, for how long, and what it answers in the end.
func TestProbeSeesWaits(t *testing.T) {
	ctx := context.Background()
	clock := engine.NewVirtualClock(time.UnixMilli(5000))
	e := newEngine(t, engine.Options{Clock: clock})
	waits := make(chan engine.ProbedCommand, 1)
	answers := make(chan string, 1)
	require.NoError(t, e.SetProbe(ctx, &engine.Probe{
		Ran: func(c engine.ProbedCommand, _ engine.Value) {
			if c.Waits {
				waits <- c
			}
		},
		Unblocked: func(session int64, v engine.Value) { answers <- v.String() },
	}))
	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = sess.DoStrings(ctx, "BLPOP", "q", "3")
	}()
	c := <-waits
	require.Equal(t, time.UnixMilli(8000), c.Until)
	_, err = e.DoStrings(ctx, "RPUSH", "q", "x")
	require.NoError(t, err)
	<-done
	require.Contains(t, <-answers, "x")
}

// Ran reports the commands that leave something in Lua for later scripts.
func TestProbeSeesWhatScriptsLeave(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	do := func(args ...string) {
		_, err := e.DoStrings(ctx, args...)
		require.NoError(t, err)
	}
	do("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return math.random() end)")
	do("EVAL", "return math.random()", "0")
	var left []string
	require.NoError(t, e.SetProbe(ctx, &engine.Probe{Ran: func(c engine.ProbedCommand, _ engine.Value) {
		if c.LuaState {
			left = append(left, c.Args[0]+" "+c.Args[1])
		}
	}}))
	for _, script := range []string{
		"return 1", "return math.random()", "return redis.call('GET', 'k')", "return cjson.encode({1/3})",
		"cjson.encode_max_depth(5)", "cjson.encode_max_depth(5)", "math.randomseed(3)", "math.randomseed(3)",
	} {
		do("EVAL", script, "0")
	}
	do("FCALL", "f", "0")
	do("SCRIPT", "FLUSH")
	do("GET", "k")
	require.Equal(t, []string{"EVAL return math.random()", "EVAL cjson.encode_max_depth(5)", "EVAL math.randomseed(3)", "FCALL f",
		"SCRIPT FLUSH"}, left)
}
