package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// A client that waits for a key is served by what remains, not by what is undone.
func TestAWaitingClientIsNotServedByWhatIsUndone(t *testing.T) {
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback})
	do(t, e, "XGROUP", "CREATE", "stream", "g", "$", "MKSTREAM")
	sess, err := e.NewSession()
	require.NoError(t, err)
	waits := [][]string{{"BLPOP", "list", "0"}, {"BZPOPMIN", "zset", "0"},
		{"XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "stream", ">"},
		{"BLMOVE", "list2", "list3", "LEFT", "RIGHT", "0"}}
	batches := make([]*enginedoor.Batch, len(waits))
	sessions := make([]*engine.Session, len(waits))
	for i, args := range waits {
		sessions[i], err = e.NewSession()
		require.NoError(t, err)
		batches[i] = &enginedoor.Batch{Commands: [][]string{args}, StopAtBlock: true}
		require.NoError(t, enginedoor.Of(sessions[i]).RunBatch(t.Context(), batches[i]))
		require.True(t, batches[i].Blocked)
	}
	const writes = `redis.call('RPUSH', 'list', 'x') redis.call('ZADD', 'zset', 1, 'x') redis.call('XADD', 'stream', '1-1', 'f', 'x')
redis.call('RPUSH', 'list2', 'x') `
	before := digest(t, e)
	for _, script := range []string{writes + "error('x')", "redis.call('DEL', 'stream') error('x')",
		"redis.call('SET', 'stream', 1) error('x')",
		"redis.call('XGROUP', 'DESTROY', 'stream', 'g') error('x')",
		"redis.call('FLUSHALL') error('x')", "redis.call('SWAPDB', 0, 1) error('x')"} {
		_, err = sess.Eval(t.Context(), script, nil)
		require.Error(t, err)
		require.Equal(t, before, digest(t, e))
		require.Contains(t, do(t, e, "INFO", "clients").Text(), "blocked_clients:4", script)
	}
	_, err = sess.Eval(t.Context(), writes, nil)
	require.NoError(t, err)
	for i, b := range batches {
		require.NoError(t, enginedoor.Of(sessions[i]).RunBatch(t.Context(), b))
		require.Contains(t, b.Replies[0].String(), "x", waits[i])
	}
}

// A session that caches keys is notified once, when a change remains, in every mode of CLIENT
// TRACKING.
func TestTrackedKeysAfterAFailure(t *testing.T) {
	for _, mode := range [][]any{{}, {"BCAST"}, {"NOLOOP"}, {"OPTIN"}, {"BCAST", "NOLOOP", "PREFIX", "a"}} {
		e := newEngine(t, engine.Options{OnScriptError: engine.Rollback})
		do(t, e, "SET", "a", "1")
		reader, err := e.NewSession()
		require.NoError(t, err)
		do(t, reader, append([]any{"CLIENT", "TRACKING", "ON"}, mode...)...)
		if len(mode) > 0 && mode[0] == "OPTIN" {
			do(t, reader, "CLIENT", "CACHING", "YES")
		}
		do(t, reader, "GET", "a")
		for _, script := range []string{"redis.call('SET', 'a', 2) redis.call('SET', 'ab', 2) error('x')", "redis.call('FLUSHALL') error('x')",
			"redis.call('DEL', 'a') redis.call('FLUSHDB') redis.call('SET', 'a', 3) error('x')"} {
			_, err = e.Eval(t.Context(), script, nil)
			require.Error(t, err)
		}
		do(t, e, "SET", "a", "4")
		m := nextMessage(t, reader)
		require.Equal(t, engine.Message{Kind: "invalidate", Keys: []string{"a"}}, m, mode)
		require.NoError(t, reader.Close())
		_, more := <-reader.Messages()
		require.False(t, more, "one message only")
	}
}

// Monitors see which commands have run, also if they are undone.
func TestMonitorsSeeWhatIsUndone(t *testing.T) {
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback})
	monitor, err := e.NewSession()
	require.NoError(t, err)
	do(t, monitor, "MONITOR")
	_, err = e.Eval(t.Context(), "redis.call('SET', 'a', 1) error('x')", nil)
	require.Error(t, err)
	require.Contains(t, nextMessage(t, monitor).Payload, `"EVAL"`)
	require.Contains(t, nextMessage(t, monitor).Payload, `"SET" "a" "1"`)
}

// A debugged script that fails is undone too, after any number of runs.
func TestADebuggedScriptIsUndone(t *testing.T) {
	e := newEngine(t, engine.Options{OnScriptError: engine.Rollback})
	do(t, e, "SET", "a", "before")
	sub, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, sub.Subscribe(t.Context(), "c"))
	watcher, err := e.NewSession()
	require.NoError(t, err)
	do(t, watcher, "WATCH", "a")
	before := digest(t, e)
	for _, end := range []string{"error('x')", ""} {
		runs := 0
		_, err = e.DebugScript(t.Context(), engine.NewScript("redis.call('SET', 'a', 'after') redis.call('PUBLISH', 'c', 'm') "+end), nil, nil,
			func(r *engine.DebugRun) engine.Debugger {
				if runs++; runs < 3 {
					r.Rewind()
				}
				return nil
			})
		require.Equal(t, 3, runs)
		if end == "" {
			require.NoError(t, err)
			break
		}
		require.Error(t, err)
		require.Equal(t, before, digest(t, e))
		do(t, watcher, "MULTI")
		do(t, watcher, "PING")
		require.False(t, do(t, watcher, "EXEC").IsNil())
	}
	require.Equal(t, "after", do(t, e, "GET", "a").Text())
	require.Equal(t, "m", nextMessage(t, sub).Payload)
}

// Access times are as before, too.
func TestAccessTimesAreRestored(t *testing.T) {
	for _, policy := range []string{"noeviction", "allkeys-lfu"} {
		clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
		e := newEngine(t, engine.Options{OnScriptError: engine.Rollback, Clock: clock, Config: map[string]string{"maxmemory-policy": policy}})
		do(t, e, "SET", "a", "x")
		clock.Advance(time.Minute)
		ask := []any{"OBJECT", "IDLETIME", "a"}
		if policy == "allkeys-lfu" {
			ask[1] = "FREQ"
		}
		before := do(t, e, ask...)
		_, err := e.Eval(context.Background(), "for i = 1, 100 do redis.call('GET', 'a') end error('x')", nil)
		require.Error(t, err)
		require.Equal(t, before, do(t, e, ask...))
		_, err = e.Eval(context.Background(), "for i = 1, 100 do redis.call('GET', 'a') end", nil)
		require.NoError(t, err)
		require.NotEqual(t, before, do(t, e, ask...))
	}
}
