package delayqueue_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

// errorLog notes errors that Run reports.
type errorLog struct {
	mu   sync.Mutex
	errs []error
}

func (l *errorLog) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
}

func (l *errorLog) all() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]error(nil), l.errs...)
}

func (l *errorLog) has(target error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Is(errors.Join(l.errs...), target)
}

func TestEachMessageGetsItsDecision(t *testing.T) {
	errDown := errors.New("the sink is down")
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		var errs errorLog
		q := newQueue(t, p, delayqueue.Options{OnError: errs.add, Backoff: func(attempt int) time.Duration {
			require.Equal(t, 1, attempt)
			return 0
		}})
		enqueue(t, q, "commit", "retry", "dead", "open", "twice")
		var got log
		stop := consume(t, q, "c", func(ctx context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				got.add("%s/%d", d.ID, d.Attempt)
				if d.Attempt > 1 {
					continue
				}
				switch d.ID {
				case "commit":
					d.Commit()
				case "retry":
					d.Retry(0)
				case "dead":
					d.Dead("no such account")
				case "twice":
					d.Retry(time.Hour)
					d.Commit()
				}
			}
			clear(batch) // the slice is the handler's
			if len(batch) == 5 {
				return errDown
			}
			return nil
		})
		require.Equal(t, []string{"commit/1", "retry/1", "dead/1", "open/1", "twice/1", "retry/2", "open/2"}, got.await(t, 7))
		stop()
		s := stats(t, q)
		require.Equal(t, delayqueue.Status{Dead: 1, IDs: 5, Committed: 4, Retried: 2, Died: 1}, s)
		require.True(t, errs.has(errDown))
		letters, err := q.DeadLetters(background, "", 10)
		require.NoError(t, err)
		require.Len(t, letters, 1)
		require.Equal(t, "no such account", letters[0].Reason)
		require.Equal(t, 1, letters[0].Attempts)
	})
}

func TestAPanicIsAnError(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		var errs errorLog
		q := newQueue(t, p, delayqueue.Options{OnError: errs.add, MaxAttempts: 2, Backoff: func(int) time.Duration { return 0 }})
		enqueue(t, q, "a", "b")
		stop := consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			batch[0].Commit()
			panic("out of cheese")
		})
		awaitStats(t, q, "one dead letter", func(s delayqueue.Status) bool { return s.Committed+s.Dead == 2 })
		stop()
		require.True(t, errs.has(delayqueue.ErrPanic))
		require.Zero(t, stats(t, q).InHand)
	})
}

func TestAMessageWithOneAttemptIsDeadAfterIt(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{MaxAttempts: 1, Backoff: func(int) time.Duration { return 0 }})
		enqueue(t, q, "bad")
		var got log
		stop := consume(t, q, "c", func(ctx context.Context, batch []*delayqueue.Delivery) error {
			_ = got.note(ctx, batch)
			return errors.New("as always")
		})
		awaitStats(t, q, "a dead letter", func(s delayqueue.Status) bool { return s.Dead == 1 })
		stop()
		require.Equal(t, []string{"bad/1"}, got.all())
		letters, err := q.DeadLetters(background, "", 1)
		require.NoError(t, err)
		require.Equal(t, "attempts exhausted: as always", letters[0].Reason)
	})
}

func TestAMessageThatAlwaysFailsIsDeadAfterItsAttempts(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{MaxAttempts: 3, Backoff: func(int) time.Duration { return 0 }})
		begin := p.Now(t, q.StreamKey()).Truncate(time.Millisecond)
		enqueue(t, q, "bad", "worse")
		var got log
		stop := consume(t, q, "c", func(ctx context.Context, batch []*delayqueue.Delivery) error {
			_ = got.note(ctx, batch)
			return errors.New("as always")
		})
		awaitStats(t, q, "two dead letters", func(s delayqueue.Status) bool { return s.Dead == 2 })
		stop()
		require.ElementsMatch(t, []string{"bad/1", "bad/2", "bad/3", "worse/1", "worse/2", "worse/3"}, got.all())
		letters, err := q.DeadLetters(background, "", 1)
		require.NoError(t, err)
		require.Len(t, letters, 1)
		l := letters[0]
		require.Equal(t, "attempts exhausted: as always", l.Reason)
		require.Equal(t, 3, l.Attempts)
		require.Equal(t, "payload of "+l.ID, string(l.Payload))
		require.False(t, l.Time().Before(begin))
		require.False(t, l.Time().After(p.Now(t, q.StreamKey())))
		rest, err := q.DeadLetters(background, l.Entry, 10)
		require.NoError(t, err)
		require.Len(t, rest, 1)
		out, err := q.Enqueue(background, message(l.ID))
		require.NoError(t, err)
		require.Equal(t, delayqueue.Duplicate, out, "a dead letter is still the message")

		n, err := q.Requeue(background, l.Entry, l.Entry, "1-1")
		require.NoError(t, err)
		require.Equal(t, 1, n)
		n, err = q.Discard(background, rest[0].Entry, l.Entry)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		var second log
		stop = consume(t, q, "c", second.note)
		require.Equal(t, []string{l.ID + "/1"}, second.await(t, 1))
		stop()
		s := stats(t, q)
		require.Equal(t, delayqueue.Status{IDs: 2, Committed: 1, Retried: 4, Died: 2}, s)
	})
}

// vanish is a handler that never decides: it hands its batch out and keeps its consumer until
// release.
func vanish() (h delayqueue.Handler, got <-chan []*delayqueue.Delivery, release func()) {
	batches, gone := make(chan []*delayqueue.Delivery, 100), make(chan struct{})
	return func(_ context.Context, batch []*delayqueue.Delivery) error {
		batches <- batch
		<-gone
		return errors.New("too late")
	}, batches, sync.OnceFunc(func() { close(gone) })
}

func TestMessagesOfAConsumerThatVanishedAreTakenOver(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		visibility := 30 * time.Second
		if p.Advance == nil {
			visibility = 150 * time.Millisecond
		}
		var errs errorLog
		q := newQueue(t, p, delayqueue.Options{Visibility: visibility, OnError: errs.add})
		enqueue(t, q, "a", "b")
		h, taken, release := vanish()
		stopFirst := consume(t, q, "first", h)
		t.Cleanup(release)
		require.Len(t, <-taken, 2)

		var got log
		stop := consume(t, q, "second", got.note)
		if p.Advance != nil {
			awaitBlocked(t, p, 1)
			p.Advance(visibility - time.Millisecond)
			awaitBlocked(t, p, 1)
			require.Empty(t, got.all())
			require.Equal(t, int64(2), stats(t, q).InHand)
			// The next look comes within a quarter of the time-out and 5 s.
			for range 5 {
				awaitBlocked(t, p, 1)
				p.Advance(time.Second)
			}
		}
		require.Equal(t, []string{"a/2", "b/2"}, got.await(t, 2))
		awaitStats(t, q, "all committed", func(s delayqueue.Status) bool { return s.Committed == 2 })
		release()
		stopFirst()
		require.True(t, errs.has(delayqueue.ErrTakenOver), "what comes too late is told, and changes nothing")
		stop()
		s := stats(t, q)
		require.Equal(t, delayqueue.Status{IDs: 2, Committed: 2}, s)
	})
}

func TestOnlyACommitCountsFromAConsumerThatComesTooLate(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Visibility: 10 * time.Second})
	for _, c := range []struct {
		id     string
		decide func(*delayqueue.Delivery)
		want   delayqueue.Status
	}{
		{"commit", (*delayqueue.Delivery).Commit, delayqueue.Status{Committed: 1}},
		{"retry", func(d *delayqueue.Delivery) { d.Retry(0) }, delayqueue.Status{InHand: 1}},
		{"dead", func(d *delayqueue.Delivery) { d.Dead("x") }, delayqueue.Status{InHand: 1}},
	} {
		t.Run(c.id, func(t *testing.T) {
			p.Do(t, "FLUSHALL")
			enqueue(t, q, c.id)
			taken, late := make(chan struct{}), make(chan struct{})
			stopFirst := consume(t, q, "first", func(_ context.Context, batch []*delayqueue.Delivery) error {
				close(taken)
				<-late
				c.decide(batch[0])
				return nil
			})
			<-taken
			p.Advance(10 * time.Second)
			h, second, release := vanish()
			stopSecond := consume(t, q, "second", h)
			require.Equal(t, 2, (<-second)[0].Attempt)
			close(late)
			stopFirst()
			got := stats(t, q)
			got.IDs, got.Consumers = 0, 0
			require.Equal(t, c.want, got)
			release()
			stopSecond()
		})
	}
}

func TestALateCommitCountsForWhatIsLeft(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Visibility: 10 * time.Second})
	enqueue(t, q, "a", "b")
	taken, late := make(chan struct{}), make(chan struct{})
	stopFirst := consume(t, q, "first", func(context.Context, []*delayqueue.Delivery) error {
		close(taken)
		<-late
		return nil
	})
	<-taken
	p.Advance(10 * time.Second)
	single := newQueue(t, p, delayqueue.Options{Visibility: 10 * time.Second, Batch: 1})
	second := make(chan struct{})
	release := make(chan struct{})
	stopSecond := consume(t, single, "second", func(_ context.Context, batch []*delayqueue.Delivery) error {
		if batch[0].ID == "a" {
			return nil
		}
		close(second)
		<-release
		return errors.New("no more")
	})
	<-second
	require.Equal(t, int64(1), stats(t, q).Committed)
	close(late)
	stopFirst()
	require.Equal(t, delayqueue.Status{IDs: 2, Consumers: 1, Committed: 2}, stats(t, q))
	close(release)
	stopSecond()
	require.Equal(t, delayqueue.Status{IDs: 2, Committed: 2}, stats(t, q))
}

func TestAMessageWhoseConsumersVanishIsDeadAfterItsAttempts(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Visibility: time.Second, MaxAttempts: 2})
	enqueue(t, q, "poison")
	for _, name := range []string{"first", "second"} {
		h, taken, release := vanish()
		stop := consume(t, q, name, h)
		t.Cleanup(stop)
		t.Cleanup(release)
		<-taken
		p.Advance(time.Second)
	}
	var got log
	consume(t, q, "third", got.note)
	awaitStats(t, q, "a dead letter", func(s delayqueue.Status) bool { return s.Dead == 1 })
	require.Empty(t, got.all())
	letters, err := q.DeadLetters(background, "", 1)
	require.NoError(t, err)
	require.Equal(t, "attempts exhausted: the last consumer vanished", letters[0].Reason)
	require.Equal(t, 2, letters[0].Attempts)
}

func TestTheBatchInHandIsFinished(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{})
		enqueue(t, q, "a", "b")
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		err := q.Run(ctx, "c", func(ctx context.Context, batch []*delayqueue.Delivery) error {
			cancel()
			require.NoError(t, ctx.Err())
			_, bounded := ctx.Deadline()
			require.True(t, bounded)
			require.Len(t, batch, 2)
			batch[1].Retry(time.Hour)
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, delayqueue.Status{Delayed: 1, IDs: 2, Committed: 1, Retried: 1}, stats(t, q))
		require.ErrorIs(t, q.Run(ctx, "c", nil), context.Canceled)
	})
}

func TestEntriesThatScriptsAddAreMessages(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q, err := delayqueue.On(p, "shop:{7}:outbox", delayqueue.Options{})
		require.NoError(t, err)
		sell := engine.NewScript(`
			redis.call('DECR', KEYS[1])
			return redis.call('XADD', KEYS[2], '*', 'id', ARGV[1], 'payload', ARGV[2])`)
		_, err = sell.Run(background, p, []string{"shop:{7}:stock", q.StreamKey()}, "order 1", "shoes")
		require.NoError(t, err)
		p.Do(t, "XADD", q.StreamKey(), "*", "id", "order 2", "payload", "", "attempt", "3")
		p.Do(t, "XADD", q.StreamKey(), "*", "what", "ever")
		p.Do(t, "XADD", q.StreamKey(), "*", "attempt", "1")
		p.Do(t, "XADD", q.StreamKey(), "*", "attempt", "1000", "id", "tried", "payload", "x")
		var got log
		stop := consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				got.add("%s %q %d", d.ID, d.Payload, d.Attempt)
			}
			return nil
		})
		require.Equal(t, []string{`order 1 "shoes" 1`, `order 2 "" 3`}, got.await(t, 2))
		awaitStats(t, q, "dead letters", func(s delayqueue.Status) bool { return s.Dead == 3 && s.InHand == 0 })
		stop()
		letters, err := q.DeadLetters(background, "", 10)
		require.NoError(t, err)
		require.Equal(t, "the entry has no id", letters[0].Reason)
		require.Equal(t, "the entry has no id", letters[1].Reason)
		require.Equal(t, "attempts exhausted", letters[2].Reason)
		entry := p.Do(t, "XRANGE", q.Keys()[3], "-", "+").Slice()[0].Slice()[1].Strings()
		require.Equal(t, []string{"reason", "the entry has no id", "attempts", "1", "what", "ever"}, entry, "nothing is lost")
		require.Zero(t, stats(t, q).IDs, "they cost no memory once they are committed")

		n, err := q.Requeue(background, letters[0].Entry, letters[1].Entry, letters[2].Entry)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Equal(t, []string{"what", "ever"}, p.Do(t, "XRANGE", q.StreamKey(), "-", "+").Slice()[0].Slice()[1].Strings())
		consume(t, q, "c", got.note)
		require.Equal(t, "tried/1", got.await(t, 3)[2])
		awaitStats(t, q, "the dead letters again", func(s delayqueue.Status) bool { return s.Dead == 2 && s.InHand == 0 })
	})
}

func TestConsumersLeaveTheList(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Visibility: time.Second})
	enqueue(t, q, "a")
	h, taken, release := vanish()
	stopFirst := consume(t, q, "vanishes", h)
	<-taken
	var got log
	stop := consume(t, q, "stops", got.note)
	p.Advance(time.Second)
	await(t, "taken over", func() bool { p.Advance(time.Second); return len(got.all()) == 1 })
	require.Equal(t, int64(2), stats(t, q).Consumers)
	await(t, "missed", func() bool { p.Advance(time.Second); return stats(t, q).Consumers == 1 })
	stop()
	require.Zero(t, stats(t, q).Consumers)
	release()
	stopFirst()
	require.Zero(t, stats(t, q).Consumers)
}

func TestARunGoesOnAfterErrors(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		var errs errorLog
		q := newQueue(t, p, delayqueue.Options{OnError: errs.add})
		p.Do(t, "SET", q.StreamKey(), "no stream")
		var got log
		stop := consume(t, q, "c", got.note)
		await(t, "an error", func() bool { return errs.has(engine.ErrWrongType) })
		p.Do(t, "DEL", q.StreamKey())
		enqueue(t, q, "a")
		got.await(t, 1)
		awaitStats(t, q, "committed", func(s delayqueue.Status) bool { return s.Committed == 1 })
		p.Do(t, "DEL", q.StreamKey()) // the group with it
		enqueue(t, q, "b")
		require.Equal(t, []string{"a/1", "b/1"}, got.await(t, 2))
		stop()
	})
}

func TestAFailureHalfWayLosesNothing(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		var errs errorLog
		q := newQueue(t, p, delayqueue.Options{OnError: errs.add, Batch: 1})
		p.Do(t, "SET", q.Keys()[3], "no stream")
		enqueue(t, q, "a")
		stop := consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			batch[0].Dead("x")
			return nil
		})
		await(t, "an error", func() bool { return errs.has(engine.ErrWrongType) })
		require.Equal(t, int64(1), p.Do(t, "XLEN", q.StreamKey()).MustInt())
		p.Do(t, "DEL", q.Keys()[3])
		awaitStats(t, q, "dead", func(s delayqueue.Status) bool { return s.Dead == 1 })
		stop()
		require.Zero(t, stats(t, q).InHand)
	})
}

func TestRunEndsWithTheEngine(t *testing.T) {
	e := redmoontest.New(t)
	q := newQueue(t, e, delayqueue.Options{})
	done := make(chan error)
	go func() { done <- q.Run(background, "c", nil) }()
	awaitBlocked(t, everywhere.Place{Client: e}, 1)
	require.NoError(t, e.Close())
	require.ErrorIs(t, <-done, engine.ErrClosed)
}
