package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// spin begins a script that does not end, and returns when other callers get BUSY. The result of
// the script is sent on the channel.
func spin(t *testing.T, e *engine.Engine, sess *engine.Session, script string) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := sess.Eval(context.Background(), script, nil)
		ended <- err
	}()
	untilBusy(t, e)
	return ended
}

func untilBusy(t *testing.T, e *engine.Engine) {
	t.Helper()
	for {
		if _, err := e.Do(context.Background(), "PING"); err != nil {
			require.ErrorIs(t, err, engine.ErrBusy)
			return
		}
	}
}

// newBusy returns an engine whose scripts become busy soon, and a session.
func newBusy(t *testing.T, o engine.Options) (*engine.Engine, *engine.Session) {
	t.Helper()
	o.Config = map[string]string{"busy-reply-threshold": "2"}
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	sess, err := e.NewSession()
	require.NoError(t, err)
	return e, sess
}

func kill(t *testing.T, e *engine.Engine) {
	t.Helper()
	v, err := e.Do(context.Background(), "SCRIPT", "KILL")
	require.NoError(t, err)
	require.Equal(t, "OK", v.Text())
}

func TestCallsInProcessWhileAScriptIsBusy(t *testing.T) {
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{})
	ended := spin(t, e, sess, "while true do end")

	require.ErrorIs(t, e.View(ctx, func(engine.Keyspace) error { panic("runs within the script") }), engine.ErrBusy)
	replies, err := e.Pipeline().Do("GET", "k").Do("SCRIPT", "KILL", "x").Exec(ctx)
	require.NoError(t, err)
	require.ErrorIs(t, replies[0].Err(), engine.ErrBusy)
	require.Contains(t, replies[1].Text(), "wrong number of arguments")

	other, err := e.NewSession()
	require.NoError(t, err)
	_, err = other.Do(ctx, "MULTI")
	require.NoError(t, err)
	_, err = other.Do(ctx, "GET", "k")
	require.ErrorIs(t, err, engine.ErrBusy)
	require.NoError(t, other.Close())

	kill(t, e)
	require.ErrorContains(t, <-ended, "Script killed by user")
	require.NoError(t, e.Check(ctx))
}

// A session's own calls keep their order: they wait for its script.
func TestCallsOfTheSessionWithABusyScriptWait(t *testing.T) {
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{})
	ended := spin(t, e, sess, "while true do end")
	second := make(chan error, 1)
	go func() {
		_, err := sess.Do(ctx, "SET", "k", "v")
		second <- err
	}()
	closed := make(chan error, 1)
	go func() { closed <- e.View(ctx, func(engine.Keyspace) error { return nil }) }()
	require.ErrorIs(t, <-closed, engine.ErrBusy)
	kill(t, e)
	require.Error(t, <-ended)
	require.NoError(t, <-second)
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "v", v.Text())
}

func TestASessionMayBeClosedWhileItsScriptIsBusy(t *testing.T) {
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{})
	ended := spin(t, e, sess, "while true do end")
	require.NoError(t, sess.Close())
	kill(t, e)
	require.ErrorContains(t, <-ended, "Script killed by user")
	v, err := e.Do(ctx, "CLIENT", "LIST")
	require.NoError(t, err)
	require.Empty(t, v.Text())
}

func TestCloseStopsABusyScript(t *testing.T) {
	for _, script := range []string{"while true do end",
		"redis.call('set', 'k', 'v') while true do pcall(function() while true do end end) end"} {
		e, err := engine.New(engine.Options{Config: map[string]string{"busy-reply-threshold": "2"}})
		require.NoError(t, err)
		sess, err := e.NewSession()
		require.NoError(t, err)
		ended := spin(t, e, sess, script)
		require.NoError(t, e.Close())
		require.ErrorContains(t, <-ended, "the engine is closed")
		_, err = e.Do(context.Background(), "PING")
		require.ErrorIs(t, err, engine.ErrClosed)
	}
}

func TestShutdownNosaveEndsABusyScript(t *testing.T) {
	called := make(chan struct{})
	e, sess := newBusy(t, engine.Options{OnShutdown: func() { close(called) }})
	ended := spin(t, e, sess, "redis.call('set', 'k', 'v') while true do end")
	_, err := e.Do(context.Background(), "SHUTDOWN")
	require.ErrorIs(t, err, engine.ErrBusy)
	other, err := e.NewSession()
	require.NoError(t, err)
	_, err = other.Do(context.Background(), "SHUTDOWN", "NOSAVE")
	require.NoError(t, err)
	<-called
	require.ErrorContains(t, <-ended, "ended by SHUTDOWN NOSAVE")
}

// A context still stops a script that is busy, and its caller only.
func TestAContextStopsABusyScript(t *testing.T) {
	e, sess := newBusy(t, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := sess.Eval(ctx, "while true do end", nil)
		ended <- err
	}()
	untilBusy(t, e)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	_, err := e.Do(context.Background(), "PING")
	require.NoError(t, err)
}

// A script becomes busy even if the engine's own clock stands still.
func TestAScriptIsBusyWhateverTheEnginesClockSays(t *testing.T) {
	e, sess := newBusy(t, engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1))})
	ended := spin(t, e, sess, "while true do end")
	kill(t, e)
	require.Error(t, <-ended)
}
