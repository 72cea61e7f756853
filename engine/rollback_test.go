package engine_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// digest returns what must be the same before and after.
func digest(t *testing.T, e *engine.Engine) (d datastore.Digest) {
	t.Helper()
	require.NoError(t, enginedoor.Of(e).Store(context.Background(), func(s *datastore.Store) error {
		d = s.Digest()
		return s.Check()
	}))
	return d
}

func TestRollbackUndoesEachWayToFail(t *testing.T) {
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback, ScriptSteps: 200_000, ScriptMemory: 16 << 20})
	require.NoError(t, e.SetProbe(t.Context(), &engine.Probe{Ran: func(c engine.ProbedCommand, _ engine.Value) {
		if c.Args[0] == "ECHO" {
			panic("probe")
		}
	}}))
	do(t, e, "SET", "a", "before", "EX", "1000")
	do(t, e, "RPUSH", "l", "1", "2", "3")
	before := digest(t, e)
	const writes = `redis.call('SET', 'a', 'after') redis.call('LPOP', 'l') redis.call('SWAPDB', 0, 1)
redis.call('FLUSHALL') redis.call('SET', 'b', 1) `
	for end, text := range map[string]string{
		"error('x')":                                    "x script",
		"return redis.error_reply('NO x')":              "NO x",
		"redis.call('NOSUCH')":                          "Unknown Redis command",
		"while true do end":                             "more than 200000 steps",
		"while true do pcall(error, 1) end":             "more than 200000 steps",
		"redis.call('ECHO', 'p')":                       "internal error in script: probe",
		"local f f = function() return 1 + f() end f()": "stack overflow",
		"for i = 1, 150 do redis.call('SET', 'c', string.rep('x', 1000000)) end": "bytes of memory",
	} {
		_, err := e.Eval(t.Context(), writes+end, nil)
		require.ErrorContains(t, err, text, end)
		var se *engine.ScriptError
		require.NotErrorAs(t, err, &se, "nothing remains")
		require.Equal(t, before, digest(t, e), end)
	}
	_, err := e.Eval(t.Context(), writes+"return redis.pcall('INCR', 'b')", nil)
	require.NoError(t, err)
	require.NotEqual(t, before, digest(t, e))
}

func TestACallerCanStopAScriptThatHasWritten(t *testing.T) {
	wrote := make(chan struct{}, 1)
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback, Logger: slog.New(signalHandler{wrote: wrote})})
	do(t, e, "SET", "a", "before")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-wrote
		cancel()
	}()
	_, err := e.Eval(ctx, "redis.call('SET', 'a', 'after') redis.log(redis.LOG_WARNING, 'wrote') while true do end", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "before", do(t, e, "GET", "a").Text())

	v, err := e.Eval(t.Context(), "redis.call('SET', 'a', 'after') return 1", nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, v.MustInt())
	require.Equal(t, "after", do(t, e, "GET", "a").Text())
}

// signalHandler is the handler of a logger that signals warnings.
type signalHandler struct {
	slog.Handler
	wrote chan struct{}
}

func (signalHandler) Enabled(_ context.Context, l slog.Level) bool { return l == slog.LevelWarn }
func (h signalHandler) Handle(context.Context, slog.Record) error {
	select {
	case h.wrote <- struct{}{}:
	default:
	}
	return nil
}

func TestAScriptThatHasWrittenCanBeKilled(t *testing.T) {
	const script = "redis.call('SET', 'a', 'after') while true do end"
	e, sess := newBusy(t, engine.Options{OnScriptError: engine.Rollback})
	do(t, e, "SET", "a", "before")
	watcher, err := e.NewSession()
	require.NoError(t, err)
	ended := spin(t, e, sess, script)
	do(t, watcher, "WATCH", "a") // the value that will be undone
	kill(t, e)
	require.ErrorContains(t, <-ended, "Script killed by user")
	require.Equal(t, "before", do(t, e, "GET", "a").Text())
	do(t, watcher, "MULTI")
	do(t, watcher, "GET", "a")
	require.Equal(t, "before", do(t, watcher, "EXEC").Slice()[0].Text())

	do(t, e, "FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() "+script+" end)")
	ended2 := make(chan error, 1)
	go func() { _, err := sess.FCall(context.Background(), "f", nil); ended2 <- err }()
	untilBusy(t, e)
	do(t, e, "FUNCTION", "KILL")
	require.ErrorContains(t, <-ended2, "Script killed by user")
	require.Equal(t, "before", do(t, e, "GET", "a").Text())

	keep, sess := newBusy(t, engine.Options{})
	ended = spin(t, keep, sess, script)
	_, err = keep.Do(t.Context(), "SCRIPT", "KILL")
	require.ErrorContains(t, err, "UNKILLABLE")
	require.NoError(t, keep.Close())
	<-ended
}

// A key that has expired may be removed within a script, and watched by another client before the
// removal is undone.
func TestAnExpiredKeyIsWatchedWhileAScriptIsBusy(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e, sess := newBusy(t, engine.Options{OnScriptError: engine.Rollback, Clock: clock})
	do(t, e, "DEBUG", "SET-ACTIVE-EXPIRE", "0")
	do(t, e, "SET", "a", "x", "PX", "10")
	clock.Advance(time.Second)
	watcher, err := e.NewSession()
	require.NoError(t, err)
	ended := spin(t, e, sess, "redis.call('GET', 'a') while true do end")
	do(t, watcher, "WATCH", "a")
	kill(t, e)
	require.Error(t, <-ended)
	require.EqualValues(t, 1, do(t, e, "DBSIZE").MustInt(), "the key is back")
	require.True(t, do(t, e, "GET", "a").IsNil())
	do(t, watcher, "MULTI")
	do(t, watcher, "PING")
	require.Equal(t, reply.KindArray, do(t, watcher, "EXEC").Kind())
}

func TestATransactionIsUndoneAsAWhole(t *testing.T) {
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback})
	sess, err := e.NewSession()
	require.NoError(t, err)
	do(t, e, "SET", "a", "before")
	do(t, e, "FUNCTION", "LOAD", "#!lua name=old\nredis.register_function('f', function() return 1 end)")
	before, functions := digest(t, e), do(t, e, "FUNCTION", "LIST").String()
	exec := func(lines ...[]string) []engine.Value {
		do(t, sess, "MULTI")
		for _, line := range lines {
			_, err := sess.DoStrings(t.Context(), line...)
			require.NoError(t, err)
		}
		return do(t, sess, "EXEC").Slice()
	}
	replies := exec([]string{"SET", "a", "1"}, []string{"FUNCTION", "FLUSH"}, []string{"INCR", "a"}, []string{"LPUSH", "a", "x"},
		[]string{"EVAL", "return redis.call('INCR', 'a')", "0"}, []string{"FLUSHALL"}, []string{"SELECT", "3"}, []string{"SET", "b", "1"})
	require.EqualValues(t, 2, replies[2].MustInt())
	require.ErrorIs(t, replies[3].Err(), engine.ErrWrongType)
	require.EqualValues(t, 3, replies[4].MustInt())
	require.Equal(t, before, digest(t, e))
	require.Equal(t, functions, do(t, e, "FUNCTION", "LIST").String())
	require.Contains(t, do(t, sess, "CLIENT", "INFO").Text(), " db=3 ", "the session has selected a database")

	replies = exec([]string{"SET", "c", "1"}, []string{"EVAL", "redis.call('SET', 'd', 1) error('x')", "0"})
	require.True(t, replies[1].IsError())
	require.Equal(t, before, digest(t, e))
	replies = exec([]string{"SET", "c", "1"}, []string{"EVAL", "return {redis.pcall('NOSUCH')}", "0"})
	require.False(t, replies[1].IsError(), "an error within a reply is no failure")
	require.Equal(t, "1", do(t, sess, "GET", "c").Text())
}

// What a session's own transaction pushes to it comes with the reply, or not at all.
func TestOwnMessagesOfATransaction(t *testing.T) {
	run := func(policy engine.ScriptErrorPolicy, lines ...[]string) string {
		e := newEngine(t, engine.Options{OnScriptError: policy})
		var got []string
		sess, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{Receive: func(v engine.Value, proto int, _ int64) int64 {
			got = append(got, string(resp.Append(nil, v, proto)))
			return 0
		}})
		require.NoError(t, err)
		b := &enginedoor.Batch{Commands: slices.Concat([][]string{{"HELLO", "3"}, {"CLIENT", "TRACKING", "ON"},
			{"GET", "a"}, {"SUBSCRIBE", "c"}, {"MULTI"}},
			lines, [][]string{{"EXEC"}, {"EVAL", "redis.call('SET', 'a', 1) return redis.call('PUBLISH', 'c', 'from a script')", "0"}})}
		require.NoError(t, enginedoor.Of(sess).RunBatch(t.Context(), b))
		for i, v := range b.Replies {
			got = append(got, string(resp.Append(nil, v, int(b.Protos[i]))))
		}
		return strings.Join(got, "")
	}
	good := [][]string{{"PUBLISH", "c", "one"}, {"SUBSCRIBE", "d"}, {"SET", "a", "1"}, {"PUBLISH", "d", "two"},
		{"EVAL", "return redis.call('PUBLISH', 'c', 'three')", "0"}}
	require.Equal(t, run(engine.KeepWrites, good...), run(engine.Rollback, good...))
	require.Contains(t, run(engine.Rollback, good...), "three")
	undone := run(engine.Rollback, append(good, []string{"INCRBY", "n", "x"})...)
	require.NotContains(t, undone, "\none\r\n")
	require.NotContains(t, undone, "\ntwo\r\n")
	require.NotContains(t, undone, "\nthree\r\n")
	require.Contains(t, undone, "$9\r\nsubscribe\r\n$1\r\nd")
	require.Contains(t, undone, "from a script")
}
