package debugger_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

func TestAForkedSessionLeavesNoChanges(t *testing.T) {
	ctx, e := context.Background(), newEngine(t)
	_, err := e.Do(ctx, "SET", "k", "old")
	require.NoError(t, err)
	p := start(t, e, "redis.call('SET', KEYS[1], 'new')\nreturn redis.call('GET', KEYS[1])",
		debugger.Options{Breakpoints: []debugger.Breakpoint{{Line: 2}}}, "k")
	require.Equal(t, "2 breakpoint", p.next())
	v, err := e.Do(ctx, "GET", "k") // the engine goes on
	require.NoError(t, err)
	require.Equal(t, "old", v.Text())
	require.Equal(t, "new", p.order("do GET k"))
	require.Equal(t, "end new", p.order("go"))
	v, err = e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "old", v.Text())
}

func TestStartOnUsesTheSelectedDatabase(t *testing.T) {
	ctx, e := context.Background(), newEngine(t)
	sess, err := e.NewSession()
	require.NoError(t, err)
	_, err = sess.Do(ctx, "SELECT", 3)
	require.NoError(t, err)
	_, err = sess.Do(ctx, "SET", "k", "three")
	require.NoError(t, err)
	for _, sync := range []bool{false, true} {
		s, err := debugger.StartOn(ctx, sess, debugger.Target{Script: engine.NewScript("return redis.call('GET', " +
			"KEYS[1]) .. ARGV[1]"), Keys: []string{"k"}, Args: []string{"!"}},
			debugger.Options{Sync: sync, StopOnEntry: true})
		require.NoError(t, err)
		p := &player{t: t, s: s}
		require.Equal(t, "1 entry", p.next())
		require.Equal(t, "end three!", p.order("go"))
	}
	require.NoError(t, sess.Close())
}

func TestTwoForkedSessions(t *testing.T) {
	e := newEngine(t)
	a, b := start(t, e, summing, debugger.Options{StopOnEntry: true}), start(t, e, loop, debugger.Options{StopOnEntry: true})
	require.Equal(t, "1 entry", a.next())
	require.Equal(t, "1 entry", b.next())
	require.Equal(t, "2 step", a.order("over"))
	require.Equal(t, "2 step", b.order("over"))
	require.Equal(t, "end 6", b.order("go"))
	require.Equal(t, "end 21", a.order("go"))
}

func TestACancelledContextEndsTheSession(t *testing.T) {
	for _, sync := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := debugger.Start(ctx, newEngine(t),
			debugger.Target{Script: engine.NewScript("redis.call('SET', 'k', 1)\nreturn 1")}, debugger.Options{Sync: sync,
				Breakpoints: []debugger.Breakpoint{{Line: 2}}})
		require.NoError(t, err)
		p := &player{t: t, s: s}
		require.Equal(t, "2 breakpoint", p.next())
		cancel()
		require.Contains(t, p.next(), "end ")
		require.Equal(t, "closed", p.next())
	}
}
