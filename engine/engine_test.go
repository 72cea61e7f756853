package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
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
	go e.View(context.Background(), func(*datastore.Store) error { close(held); <-hold; return nil })
	<-held
	ctx, cancel := context.WithCancel(context.Background())
	ran := false
	done := make(chan error)
	go func() {
		done <- e.View(ctx, func(*datastore.Store) error { ran = true; return nil })
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	close(hold)
	require.NoError(t, e.Check(context.Background()))
	require.False(t, ran)
}

func TestPanicAnswersOneCall(t *testing.T) {
	e := newEngine(t, engine.Options{})
	err := e.View(context.Background(), func(*datastore.Store) error { panic("boom") })
	require.ErrorContains(t, err, "boom")
	require.NoError(t, e.Check(context.Background()))
}

func TestVirtualClockExpiresKeysOnTime(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	var expired []string
	require.NoError(t, e.View(context.Background(), func(s *datastore.Store) error {
		s.Listen(func(c *datastore.Change) { expired = append(expired, c.Key+" "+c.Event) })
		return nil
	}))
	_ = expired
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
