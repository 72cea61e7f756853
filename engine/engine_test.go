package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/stretchr/testify/require"
)

func newEngine(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func TestUnknownCommandIsARedisError(t *testing.T) {
	e := newEngine(t, engine.Options{})
	_, err := e.Do(context.Background(), "nosuch", 1)
	var re *engine.Error
	require.ErrorAs(t, err, &re)
	require.Equal(t, "ERR", re.Code)
	require.Equal(t, "unknown command 'nosuch', with args beginning with: '1' ", re.Message)
}

func TestCallsAfterCloseAnswerErrClosed(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	s, err := e.NewSession()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	ctx := context.Background()
	_, err = e.Do(ctx, "PING")
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = s.Do(ctx, "PING")
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Pipeline().Do("PING").Exec(ctx)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, s.Close(), engine.ErrClosed)
	_, err = e.NewSession()
	require.ErrorIs(t, err, engine.ErrClosed)
}

func TestCloseWhileCallsAreInFlight(t *testing.T) {
	e, err := engine.New(engine.Options{QueueLength: 2})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				if _, err := e.Do(context.Background(), "MULTI"); errors.Is(err, engine.ErrClosed) {
					return
				}
			}
		})
	}
	require.NoError(t, e.Close())
	wg.Wait()
}

func TestWithdrawnCallNeverRuns(t *testing.T) {
	e := newEngine(t, engine.Options{})
	hold, held := make(chan struct{}), make(chan struct{})
	go e.View(context.Background(), func(engine.Keyspace) error { close(held); <-hold; return nil })
	<-held
	ctx, cancel := context.WithCancel(context.Background())
	ran := false
	done := make(chan error)
	go func() {
		done <- e.View(ctx, func(engine.Keyspace) error { ran = true; return nil })
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	close(hold)
	require.NoError(t, e.Check(context.Background()))
	require.False(t, ran)
}

func TestPanicAnswersOneCall(t *testing.T) {
	e := newEngine(t, engine.Options{})
	err := e.View(context.Background(), func(engine.Keyspace) error { panic("boom") })
	require.ErrorContains(t, err, "boom")
	require.NoError(t, e.Check(context.Background()))
}

func TestTimeMovesWithinAPipeline(t *testing.T) {
	e := newEngine(t, engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1_000_000))})
	replies, err := e.Pipeline().Do("SET", "k", "v", "PX", 2).Do("DEBUG", "SLEEP", "0.003").Do("EXISTS", "k").Exec(context.Background())
	require.NoError(t, err)
	require.Equal(t, int64(0), replies[2].MustInt())
}

func TestVirtualClockExpiresKeysOnTime(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	ctx := context.Background()
	var events []string
	require.NoError(t, enginedoor.Of(e).Store(ctx, func(s *datastore.Store) error {
		s.Listen(func(c *datastore.Change) { events = append(events, c.Key+" "+c.Event) })
		return nil
	}))
	for _, cmd := range []string{"b 20", "a 10", "c 1000"} {
		var key string
		var ms int
		_, err := fmt.Sscan(cmd, &key, &ms)
		require.NoError(t, err)
		_, err = e.Do(ctx, "SET", key, "v", "PX", ms)
		require.NoError(t, err)
	}
	require.NoError(t, e.View(ctx, func(engine.Keyspace) error { events = nil; return nil }))
	clock.Advance(1000 * time.Millisecond)
	require.NoError(t, e.View(ctx, func(k engine.Keyspace) error {
		require.Equal(t, []string{"a expired", "b expired"}, events)
		require.Equal(t, 1, k.Len(0))
		return nil
	}))
	clock.Advance(time.Millisecond)
	v, err := e.Do(ctx, "DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

func TestScriptIsStoppedWhenItsContextEnds(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan struct{})
	require.NoError(t, e.View(ctx, func(engine.Keyspace) error { return nil }))
	go func() { <-started; cancel() }()
	close(started)
	_, err := e.Eval(ctx, "while true do redis.call('get', KEYS[1]) end", []string{"k"})
	require.ErrorIs(t, err, context.Canceled)
	v, err := e.Eval(context.Background(), "return 7", nil)
	require.NoError(t, err)
	require.Equal(t, int64(7), v.MustInt())
}

func TestScriptThatHasWrittenIsNotStopped(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	wrote := make(chan struct{})
	require.NoError(t, enginedoor.Of(e).Store(ctx, func(s *datastore.Store) error {
		s.Listen(func(c *datastore.Change) {
			if c.Key == "begun" && c.Event == "set" {
				close(wrote)
			}
		})
		return nil
	}))
	go func() { <-wrote; cancel() }()
	v, err := e.Eval(ctx, `
		redis.call('set', KEYS[1], 1)
		for i = 1, 300000 do local x = i * 2 end
		redis.call('set', KEYS[2], 1)
		return 'whole'`, []string{"begun", "done"})
	require.NoError(t, err)
	require.Equal(t, "whole", v.Text())
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}

func TestCallsOnTheEngineShareNoState(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	for _, cmd := range [][]any{{"MULTI"}, {"watch", "k"}, {"SELECT", 1}, {"client", "setname", "x"}, {"HELLO", 3}, {"RESET"}, {"QUIT"}} {
		_, err := e.Do(ctx, cmd...)
		require.ErrorContains(t, err, "needs a session of its own", "%v", cmd)
	}
	_, err := e.Eval(ctx, "return redis.call('select', 1)", nil) // selects only within the script
	require.NoError(t, err)
}

func TestSessionTransaction(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	do := func(args ...any) string {
		v, err := s.Do(ctx, args...)
		if err != nil {
			return err.Error()
		}
		return v.Text() + fmt.Sprint(v.Strings())
	}
	require.Equal(t, "OK[]", do("WATCH", "k"))
	require.Equal(t, "OK[]", do("MULTI"))
	require.Equal(t, "QUEUED[]", do("SET", "k", "mine"))
	_, err = e.Do(ctx, "SET", "k", "theirs")
	require.NoError(t, err)
	v, err := s.Do(ctx, "EXEC")
	require.NoError(t, err)
	require.True(t, v.IsNil())
	require.Equal(t, "theirs[]", do("GET", "k"))
	require.NoError(t, s.Close())
}

func TestTypedErrors(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	_, err := e.EvalSHA(ctx, "0123456789012345678901234567890123456789", nil)
	require.ErrorIs(t, err, engine.ErrNoScript)
	_, err = e.Do(ctx, "SET", "s", "text")
	require.NoError(t, err)
	_, err = e.Eval(ctx, "return redis.call('lpush', KEYS[1], 1)", []string{"s"})
	require.ErrorIs(t, err, engine.ErrWrongType)
	require.NotErrorIs(t, err, engine.ErrNoScript)
	_, err = e.Do(ctx)
	require.ErrorContains(t, err, "no command")
	_, err = e.Do(ctx, "SET", "k", struct{}{})
	require.ErrorContains(t, err, "cannot send an argument of type struct {}")
	_, err = engine.New(engine.Options{Config: map[string]string{"nosuch": "1"}})
	require.ErrorContains(t, err, "nosuch")
}

func TestScriptRunsOnceWhateverItAnswers(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s := engine.NewScript("redis.call('incr', KEYS[1]) return redis.error_reply('NOSCRIPT not really')")
	for range 2 {
		_, err := s.Run(ctx, e, []string{"n"})
		require.ErrorIs(t, err, engine.ErrNoScript)
	}
	v, err := e.Do(ctx, "GET", "n")
	require.NoError(t, err)
	require.Equal(t, "2", v.Text())
}

func BenchmarkRoundTrip(b *testing.B) {
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	ctx := context.Background()
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e.DoStrings(ctx, "DISCARD")
		}
	})
	b.Run("parallel20", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(10)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				e.DoStrings(ctx, "DISCARD")
			}
		})
	})
}
