package engine_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// callback is code of the program that the engine calls, in all its roles. While it is on, it calls
// the engine and keeps the error.
type callback struct {
	engine.Clock
	slog.Handler
	rand.Source
	on  atomic.Bool
	e   *engine.Engine
	err error
}

func (c *callback) call() {
	if c.on.Swap(false) {
		_, c.err = c.e.Do(context.Background(), "PING")
	}
}

func (c *callback) Uint64() uint64 {
	c.call()
	return 1
}

func (c *callback) Now() time.Time {
	c.call()
	return c.Clock.Now()
}

type callingLogger struct{ *callback }

func (l callingLogger) Enabled(context.Context, slog.Level) bool { return true }

func (l callingLogger) Handle(context.Context, slog.Record) error {
	l.call()
	return nil
}

// A call of an engine by a function that the engine waits for could not be answered. It is refused
// for every kind of function.
func TestACallFromTheEnginesOwnGoroutineIsRefused(t *testing.T) {
	if goroutine.Self() == 0 {
		t.Skip("not recognized on this processor")
	}
	ctx := context.Background()
	newEngine := func(t *testing.T, use func(*engine.Options, *callback)) *callback {
		c := &callback{Clock: engine.NewVirtualClock(time.Unix(1, 0)), Handler: slog.DiscardHandler}
		var o engine.Options
		if use != nil {
			use(&o, c)
		}
		e, err := engine.New(o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		c.e = e
		return c
	}
	for _, test := range []struct {
		name string
		use  func(*engine.Options, *callback)
		run  func(c *callback) error
	}{
		{"View", nil, func(c *callback) error {
			return c.e.View(ctx, func(engine.Keyspace) error {
				c.call()
				return nil
			})
		}},
		{"Logger", func(o *engine.Options, c *callback) { o.Logger = slog.New(callingLogger{c}) }, func(c *callback) error {
			_, err := c.e.Eval(ctx, "redis.log(redis.LOG_WARNING, 'text')", nil)
			return err
		}},
		{"Clock", func(o *engine.Options, c *callback) { o.Clock = c }, func(c *callback) error {
			_, err := c.e.Do(ctx, "TIME")
			return err
		}},
		{"Rand", func(o *engine.Options, c *callback) { o.Rand = c }, func(c *callback) error {
			_, err := c.e.Do(ctx, "SRANDMEMBER", "set")
			return err
		}},
		{"ApplyConfig", func(o *engine.Options, c *callback) {
			o.ApplyConfig = func(string, func(string) string) error {
				c.call()
				return nil
			}
		}, func(c *callback) error {
			_, err := c.e.Do(ctx, "CONFIG", "SET", "tls-cert-file", "x")
			return err
		}},
		{"Receive", nil, func(c *callback) error {
			s, err := enginedoor.Of(c.e).OpenSession(enginedoor.SessionInfo{Receive: func(engine.Value, int, int64) int64 {
				c.call()
				return 0
			}})
			if err == nil {
				_, err = s.Do(ctx, "SUBSCRIBE", "news")
			}
			if err == nil {
				_, err = c.e.Do(ctx, "PUBLISH", "news", "hello")
			}
			return err
		}},
		{"Kill", nil, func(c *callback) error {
			_, err := enginedoor.Of(c.e).OpenSession(enginedoor.SessionInfo{
				Addr: "a:1", Receive: func(engine.Value, int, int64) int64 { return 0 }, Kill: c.call})
			if err == nil {
				_, err = c.e.Do(ctx, "CLIENT", "KILL", "ADDR", "a:1")
			}
			return err
		}},
		{"Debugger", nil, func(c *callback) error {
			_, err := c.e.DebugScript(ctx, engine.NewScript("return 1"), nil, nil, func(*engine.DebugRun) engine.Debugger {
				return lines{at: func(*engine.Stack, int) { c.call() }}
			})
			return err
		}},
		{"InterceptScripts", nil, func(c *callback) error {
			stop, err := c.e.InterceptScripts(func(engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
				c.call()
				return nil
			})
			if err == nil {
				_, err = c.e.Eval(ctx, "return 1", nil)
				stop()
			}
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newEngine(t, test.use)
			_, err := c.e.Do(ctx, "SADD", "set", "a", "b", "c")
			require.NoError(t, err)
			c.on.Store(true)
			require.NoError(t, test.run(c))
			require.ErrorIs(t, c.err, engine.ErrReentrant)
			_, err = c.e.Do(ctx, "PING")
			require.NoError(t, err, "the engine goes on")
		})
	}
}

// Every kind of call is refused there, and Close does not close the engine.
func TestAllCallsFromTheEnginesOwnGoroutineAreRefused(t *testing.T) {
	if goroutine.Self() == 0 {
		t.Skip("not recognized on this processor")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	other, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer other.Close()
	s, err := e.NewSession()
	require.NoError(t, err)
	var errs []error
	require.NoError(t, e.View(ctx, func(engine.Keyspace) error {
		add := func(_ any, err error) { errs = append(errs, err) }
		add(e.Do(ctx, "PING"))
		add(e.Eval(context.Background(), "return 1", nil))
		add(e.Pipeline().Do("PING").Exec(ctx))
		add(nil, e.View(ctx, func(engine.Keyspace) error { return nil }))
		add(e.Fork())
		add(e.Snapshot())
		add(e.NewSession())
		add(s.Do(ctx, "PING"))
		add(nil, s.Close())
		add(nil, e.Close())
		_, err := other.Do(ctx, "PING")
		return err
	}))
	require.Len(t, errs, 10)
	for i, err := range errs {
		require.ErrorIs(t, err, engine.ErrReentrant, "call %d", i)
	}
	_, err = s.Do(ctx, "PING")
	require.NoError(t, err)
}

// A function on the engine's goroutine may move a virtual clock: the timers run when it has ended.
func TestAViewMayMoveTheClock(t *testing.T) {
	ctx, clock := context.Background(), engine.NewVirtualClock(time.Unix(1, 0))
	e, err := engine.New(engine.Options{Clock: clock, Config: map[string]string{"notify-keyspace-events": "Ex"}})
	require.NoError(t, err)
	defer e.Close()
	s, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, s.PSubscribe(ctx, "*"))
	_, err = e.Do(ctx, "SET", "key", "v", "EX", 60)
	require.NoError(t, err)
	popped := begin(t, e, blpop(ctx, e, 90))
	require.NoError(t, e.View(ctx, func(engine.Keyspace) error {
		clock.Advance(2 * time.Minute)
		return nil
	}))
	require.True(t, (<-popped).v.IsNil())
	require.Equal(t, "key", (<-s.Messages()).Payload)
}
