package engine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// try runs commands one after the other in a trial and returns their replies as text.
func try(t *testing.T, e *Engine, commands ...[]string) (replies []string) {
	require.NoError(t, enginedoor.Of(e).Try(func(trial *server.Trial) {
		for _, args := range commands {
			replies = append(
				replies,
				trial.Run(server.Attempt{Proto: 2, Now: e.clock.Now().UnixMicro(), Args: args}).
					String(),
			)
		}
	}))
	return replies
}

// A trial sees its own writes, and leaves nothing: keys, watches, messages, waiting clients.
func TestTrialLeavesNothing(t *testing.T) {
	ctx := context.Background()
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	var received []string
	sess, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{Receive: func(v Value, _ int, _ int64) int64 {
		received = append(received, v.String())
		return 0
	}})
	require.NoError(t, err)
	watching, err := e.NewSession()
	require.NoError(t, err)
	monitor, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{Receive: func(v Value, _ int, _ int64) int64 {
		received = append(received, v.String())
		return 0
	}})
	require.NoError(t, err)
	_, err = e.Do(ctx, "CONFIG", "SET", "notify-keyspace-events", "KEA")
	require.NoError(t, err)
	_, err = e.Do(ctx, "SET", "k", "1", "PX", 100000)
	require.NoError(t, err)
	_, err = watching.Do(ctx, "WATCH", "k", "l")
	require.NoError(t, err)
	require.NoError(t, enginedoor.Of(sess).RunBatch(ctx, &enginedoor.Batch{Commands: [][]string{{"PSUBSCRIBE", "*"}}}))
	require.NoError(t, enginedoor.Of(monitor).RunBatch(ctx, &enginedoor.Batch{Commands: [][]string{{"MONITOR"}}}))
	blocked, err := e.NewSession()
	require.NoError(t, err)
	waits := &enginedoor.Batch{Commands: [][]string{{"BLPOP", "l", "0"}}, StopAtBlock: true}
	require.NoError(t, enginedoor.Of(blocked).RunBatch(ctx, waits))
	require.True(t, waits.Blocked)
	received = nil
	before, err := e.Snapshot()
	require.NoError(t, err)

	const failing = "redis.call('SET', KEYS[1], ARGV[1]) return {err = 'ERR failed'}"
	require.Equal(t, []string{
		"(integer) 2", `"2"`, "(integer) 2", "(integer) 1", "(integer) 9", "OK", "(nil)", "(error) ERR failed",
	}, try(
		t,
		e,
		[]string{
			"INCR",
			"k",
		},
		[]string{"GET", "k"},
		[]string{"RPUSH", "l", "a", "b"},
		[]string{"PUBLISH", "c", "m"},
		[]string{
			"EVAL",
			"redis.call('SET', KEYS[1], ARGV[1]) return 9",
			"1",
			"k",
			"x",
		},
		[]string{"FLUSHALL"},
		[]string{"GET", "k"},
		[]string{"EVAL", failing, "1", "k", "x"},
	))

	changes, err := e.Changes(before)
	require.NoError(t, err)
	require.Empty(t, changes)
	require.Empty(t, received)
	require.NoError(t, enginedoor.Of(e).Try(func(trial *server.Trial) {
		require.False(t, enginedoor.Of(watching).WatchBroken())
		trial.Run(server.Attempt{Proto: 2, Args: []string{"DEL", "k"}})
		require.True(t, enginedoor.Of(watching).WatchBroken())
		trial.Back()
		require.False(t, enginedoor.Of(watching).WatchBroken())
	}))
	v, err := e.Do(ctx, "INFO", "clients")
	require.NoError(t, err)
	require.Contains(t, v.Text(), "blocked_clients:1\r\n")

	_, err = e.Do(ctx, "RPUSH", "l", "c")
	require.NoError(t, err)
	require.NoError(t, enginedoor.Of(blocked).RunBatch(ctx, waits))
	require.Equal(t, []string{"l", "c"}, waits.Replies[0].Strings())
	require.NoError(t, enginedoor.Of(e).Try(func(*server.Trial) {
		require.True(t, enginedoor.Of(watching).WatchBroken())
	}))
	require.NoError(t, e.Check(ctx))
}

// Back undoes one command of a trial, the newest first.
func TestTrialGoesBack(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	var replies []int64
	require.NoError(t, enginedoor.Of(e).Try(func(trial *server.Trial) {
		incr := func() {
			replies = append(
				replies,
				trial.Run(server.Attempt{Proto: 2, Args: []string{"INCR", "n"}}).MustInt(),
			)
		}
		incr()
		incr()
		trial.Back()
		incr()
		trial.Back()
		trial.Back()
		incr()
	}))
	require.Equal(t, []int64{1, 2, 2, 1}, replies)
	v, err := e.Do(context.Background(), "EXISTS", "n")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

// A trial runs commands at the time that it names: a key that has expired by then is there again.
func TestTrialAtAnotherTime(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(context.Background(), "SET", "k", "v", "PX", 100000)
	require.NoError(t, err)
	now := e.clock.Now().UnixMicro()
	var late, early string
	require.NoError(t, enginedoor.Of(e).Try(func(trial *server.Trial) {
		late = trial.Run(server.Attempt{Proto: 2, Now: now + 101_000_000, Args: []string{"GET", "k"}}).
			String()
		trial.Back()
		early = trial.Run(server.Attempt{Proto: 2, Now: now, Args: []string{"GET", "k"}}).String()
	}))
	require.Equal(t, "(nil)", late)
	require.Equal(t, `"v"`, early)
}
