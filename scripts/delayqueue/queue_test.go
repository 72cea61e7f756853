package delayqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
)

var background = context.Background()

func newQueue(t testing.TB, c engine.Client, o delayqueue.Options) *delayqueue.Queue {
	t.Helper()
	q, err := delayqueue.New(c, "jobs", o)
	require.NoError(t, err)
	return q
}

func message(id string) delayqueue.Message {
	return delayqueue.Message{ID: id, Payload: []byte("payload of " + id)}
}

func enqueue(t testing.TB, q *delayqueue.Queue, ids ...string) {
	t.Helper()
	for _, id := range ids {
		out, err := q.Enqueue(background, message(id))
		require.NoError(t, err)
		require.Equal(t, delayqueue.Queued, out, id)
	}
}

// consume runs a consumer until the returned function is called, which waits for its end.
func consume(t testing.TB, q *delayqueue.Queue, name string, h delayqueue.Handler) (stop func()) {
	ctx, cancel := context.WithCancel(background)
	done := make(chan error, 1)
	go func() {
		done <- q.Run(ctx, name, func(ctx context.Context, batch []*delayqueue.Delivery) error {
			if len(batch) == 0 {
				t.Error("a batch without messages")
			}
			return h(ctx, batch)
		})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// await returns when f is true.
func await(t testing.TB, what string, f func() bool) {
	t.Helper()
	patience.Until(t, f, what)
}

// awaitStats returns when the queue stands as f wants it.
func awaitStats(t testing.TB, q *delayqueue.Queue, what string, f func(delayqueue.Status) bool) {
	t.Helper()
	await(t, what, func() bool { return f(stats(t, q)) })
}

var info = engine.NewScript(`return redis.call('INFO', 'clients')`)

// awaitBlocked returns when so many clients wait on the engine that has the queue.
func awaitBlocked(t testing.TB, p everywhere.Place, n int) {
	t.Helper()
	await(t, "blocked clients", func() bool {
		v, err := info.Run(background, p, []string{"{jobs}"})
		require.NoError(t, err)
		return strings.Contains(v.Text(), "blocked_clients:"+strconv.Itoa(n)+"\r\n")
	})
}

// advance lets time pass for the one consumer of an engine, in steps that end when it has done what
// there is to do.
func advance(t testing.TB, p everywhere.Place, d time.Duration) {
	t.Helper()
	for ; d > 0; d -= 500 * time.Millisecond {
		awaitBlocked(t, p, 1)
		p.Advance(min(d, 500*time.Millisecond))
	}
	awaitBlocked(t, p, 1)
}

func stats(t testing.TB, q *delayqueue.Queue) delayqueue.Status {
	t.Helper()
	s, err := q.Status(background)
	require.NoError(t, err)
	return s
}

// log notes what handlers were given.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

func (l *log) await(t testing.TB, n int) []string {
	t.Helper()
	await(t, "handled messages", func() bool { return len(l.all()) >= n })
	return l.all()
}

// note commits all and notes their IDs.
func (l *log) note(_ context.Context, batch []*delayqueue.Delivery) error {
	for _, d := range batch {
		l.add("%s/%d", d.ID, d.Attempt)
	}
	return nil
}

// onEngine is a place whose clock moves.
func onEngine(t testing.TB) everywhere.Place {
	e := redmoontest.New(t)
	return everywhere.Place{Client: e, Advance: e.Advance}
}

func TestMessagesComeInOrderAndLeaveNothingBehind(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{Batch: 7, Retention: -1})
		var ids []string
		for i := range 50 {
			ids = append(ids, fmt.Sprintf("m%02d", i))
		}
		begin := p.Now(t, q.StreamKey()).Truncate(time.Millisecond)
		enqueue(t, q, ids[:20]...)
		var rest []delayqueue.Message
		for _, id := range ids[20:] {
			rest = append(rest, message(id))
		}
		outs, err := q.EnqueueAll(background, rest)
		require.NoError(t, err)
		require.Equal(t, slices.Repeat([]delayqueue.Outcome{delayqueue.Queued}, 30), outs)
		s := stats(t, q)
		require.Equal(t, int64(50), s.Ready)
		require.Equal(t, int64(50), s.IDs)

		var got log
		stop := consume(t, q, "streams", func(ctx context.Context, batch []*delayqueue.Delivery) error {
			require.NoError(t, ctx.Err())
			for _, d := range batch {
				require.Equal(t, "payload of "+d.ID, string(d.Payload))
				require.False(t, d.Ready().Before(begin))
				require.False(t, d.Ready().After(p.Now(t, q.StreamKey())))
				got.add("%s", d.ID)
			}
			got.add("batch of %d", len(batch))
			return nil
		})
		lines := got.await(t, 58)
		var order, batches []string
		for _, line := range lines {
			if strings.HasPrefix(line, "batch") {
				batches = append(batches, line)
			} else {
				order = append(order, line)
			}
		}
		require.Equal(t, ids, order)
		require.Equal(t, append(slices.Repeat([]string{"batch of 7"}, 7), "batch of 1"), batches)
		enqueue(t, q, "later")
		require.Equal(t, "later", got.await(t, 60)[58])
		stop()
		require.Equal(t, delayqueue.Status{Committed: 51}, stats(t, q))
		k := q.Keys()
		require.Zero(t, p.Do(t, "XLEN", k[0]).MustInt())
		require.Zero(t, p.Do(t, "EXISTS", k[1], k[2], k[3]).MustInt())
	})
}

func TestAnIDIsOneMessage(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		retention, visibility := time.Hour, 30*time.Second
		if p.Advance == nil {
			retention, visibility = 50*time.Millisecond, time.Second
		}
		q := newQueue(t, p, delayqueue.Options{Retention: retention, Visibility: visibility})
		outs, err := q.EnqueueAll(background, []delayqueue.Message{message("a"), message("b"), message("a")})
		require.NoError(t, err)
		require.Equal(t, []delayqueue.Outcome{delayqueue.Queued, delayqueue.Queued, delayqueue.Duplicate}, outs)
		require.Equal(t, "queued", outs[0].String())
		require.Equal(t, "duplicate", outs[2].String())
		out, err := q.EnqueueAfter(background, message("b"), time.Minute)
		require.NoError(t, err)
		require.Equal(t, delayqueue.Duplicate, out)
		if p.Advance != nil {
			p.Advance(100 * time.Hour) // however long it waits
			out, err = q.Enqueue(background, message("b"))
			require.NoError(t, err)
			require.Equal(t, delayqueue.Duplicate, out)
		}

		var got log
		stop := consume(t, q, "c", got.note)
		got.await(t, 2)
		awaitStats(t, q, "all committed", func(s delayqueue.Status) bool { return s.Committed == 2 })
		if p.Advance != nil {
			out, err = q.Enqueue(background, message("a"))
			require.NoError(t, err)
			require.Equal(t, delayqueue.Duplicate, out)
			p.Advance(retention)
		}
		await(t, "forgotten", func() bool {
			out, err := q.Enqueue(background, message("a"))
			require.NoError(t, err)
			return out == delayqueue.Queued
		})
		require.Equal(t, []string{"a/1", "b/1", "a/1"}, got.await(t, 3))
		awaitStats(t, q, "what has had its time is removed", func(s delayqueue.Status) bool {
			if p.Advance != nil {
				p.Advance(time.Second)
			}
			return s.IDs < 2
		})
		stop()
	})
}

func TestIDsAreForgottenWhileOthersAreCommitted(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Retention: time.Millisecond})
	var got log
	consume(t, q, "c", got.note)
	for i := range 5 * 64 {
		enqueue(t, q, strconv.Itoa(i))
		awaitStats(t, q, "committed", func(s delayqueue.Status) bool { return s.Committed == int64(i+1) })
		awaitBlocked(t, p, 1)
		p.Advance(time.Millisecond)
	}
	require.LessOrEqual(t, stats(t, q).IDs, int64(64))
}

func TestTheLargestBatch(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{Batch: delayqueue.MaxBatch, OnError: func(err error) { t.Error(err) }})
		var ms []delayqueue.Message
		for i := range delayqueue.MaxBatch {
			ms = append(ms, message(strconv.Itoa(i)))
		}
		_, err := q.EnqueueAll(background, ms)
		require.NoError(t, err)
		var got log
		consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			got.add("%d", len(batch))
			return nil
		})
		awaitStats(t, q, "all committed", func(s delayqueue.Status) bool { return s.Committed == delayqueue.MaxBatch })
		require.Equal(t, []string{"1000"}, got.all())
	})
}

func TestMessagesWithoutAnIDAreAllDifferent(t *testing.T) {
	q := newQueue(t, redmoontest.New(t), delayqueue.Options{})
	outs, err := q.EnqueueAll(background, make([]delayqueue.Message, 3))
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]delayqueue.Outcome{delayqueue.Queued}, 3), outs)
	require.Equal(t, int64(3), stats(t, q).Ready)
}

func TestDelayedMessagesComeWhenTheyAreDue(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		unit := 2 * time.Second
		if p.Advance == nil {
			unit = 20 * time.Millisecond
		}
		q := newQueue(t, p, delayqueue.Options{})
		now, due := p.Now(t, q.StreamKey()), map[string]time.Time{}
		for _, after := range []int{3, 1, 2} {
			m, delay := message("after "+strconv.Itoa(after)), time.Duration(after)*unit
			due[m.ID] = now.Add(delay)
			later := func() (delayqueue.Outcome, error) { return q.EnqueueAfter(background, m, delay) }
			if p.Advance == nil { // the clock runs between the calls
				later = func() (delayqueue.Outcome, error) { return q.EnqueueAt(background, m, now.Add(delay)) }
			}
			out, err := later()
			require.NoError(t, err)
			require.Equal(t, delayqueue.Queued, out)
		}
		due["at"] = now.Add(4*unit + 100*time.Nanosecond)
		_, err := q.EnqueueAt(background, message("at"), due["at"])
		require.NoError(t, err)
		_, err = q.EnqueueAt(background, message("past"), now.Add(-unit))
		require.NoError(t, err)
		_, err = q.EnqueueAfter(background, message("past too"), -unit)
		require.NoError(t, err)
		if p.Advance != nil {
			require.Equal(t, int64(4), stats(t, q).Delayed)
		}
		var got log
		stop := consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				got.add("%s", d.ID)
				require.False(t, d.Ready().Before(due[d.ID].Truncate(time.Millisecond)), "%s is too early", d.ID)
			}
			return nil
		})
		want := []string{"past", "past too", "after 1", "after 2", "after 3", "at"}
		if p.Advance != nil {
			for n := 2; n < 6; n++ {
				require.Equal(t, want[:n], got.await(t, n))
				advance(t, p, unit-time.Millisecond)
				require.Len(t, got.all(), n)
				advance(t, p, time.Millisecond)
			}
			require.Len(t, got.all(), 5)
			advance(t, p, time.Millisecond)
		}
		if p.Advance != nil {
			require.Equal(t, want, got.await(t, 6))
		} else { // what was enqueued late on a busy machine is due immediately
			require.ElementsMatch(t, want, got.await(t, 6))
		}
		stop()
		require.Equal(t, int64(6), stats(t, q).Committed)
	})
}

func TestMessagesDueTogetherComeInTheOrderInWhichTheyWereEnqueued(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{Batch: 3})
	var want []string
	for i := range 20 {
		id := strconv.Itoa(i * 7919 % 20)
		want = append(want, id+"/1")
		_, err := q.EnqueueAfter(background, message(id), time.Second)
		require.NoError(t, err)
	}
	p.Advance(time.Second)
	var got, batches log
	consume(t, q, "c", func(ctx context.Context, batch []*delayqueue.Delivery) error {
		batches.add("%d", len(batch))
		return got.note(ctx, batch)
	})
	require.Equal(t, want, got.await(t, 20))
	require.Equal(t, []string{"3", "3", "3", "3", "3", "3", "2"}, batches.all())
}

func TestAConsumerThatWaitsLearnsOfAMessageThatIsDueSoon(t *testing.T) {
	p := onEngine(t)
	q := newQueue(t, p, delayqueue.Options{})
	var got log
	stop := consume(t, q, "c", got.note)
	awaitBlocked(t, p, 1)
	for id, after := range map[string]time.Duration{"much later": time.Hour, "later": time.Minute} {
		_, err := q.EnqueueAfter(background, message(id), after)
		require.NoError(t, err)
	}
	require.Zero(t, stats(t, q).Ready, "that is soon enough when the wait has ended")
	_, err := q.EnqueueAfter(background, message("soon"), 300*time.Millisecond)
	require.NoError(t, err)
	awaitStats(t, q, "the wake is gone", func(s delayqueue.Status) bool { return s.Ready+s.InHand == 0 })
	awaitBlocked(t, p, 1)
	p.Advance(299 * time.Millisecond)
	awaitBlocked(t, p, 1)
	require.Empty(t, got.all())
	p.Advance(time.Millisecond)
	require.Equal(t, []string{"soon/1"}, got.await(t, 1))
	stop()
	require.Equal(t, int64(1), stats(t, q).Committed)
}

func TestAnyBytesPass(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{Backoff: func(int) time.Duration { return time.Millisecond }})
		id, payload := "a \x00\xff{b}\n12 3", "\x00 \r\n\xfe7 8"
		_, err := q.EnqueueAfter(background, delayqueue.Message{ID: id, Payload: []byte(payload)}, 5*time.Millisecond)
		require.NoError(t, err)
		_, err = q.EnqueueAfter(background, delayqueue.Message{ID: "empty"}, 5*time.Millisecond)
		require.NoError(t, err)
		var got log
		consume(t, q, "c", func(_ context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				got.add("%q %q %d", d.ID, d.Payload, d.Attempt)
				switch d.Attempt {
				case 1:
					d.Retry(delayqueue.Backoff)
				case 2:
					d.Retry(0)
				default:
					d.Dead("because \x00")
				}
			}
			return nil
		})
		for range 2 {
			if p.Advance != nil {
				awaitBlocked(t, p, 1)
				p.Advance(5 * time.Millisecond)
			}
		}
		awaitStats(t, q, "two dead letters", func(s delayqueue.Status) bool { return s.Dead == 2 })
		lines := got.all()
		for i := 1; i <= 3; i++ {
			require.Contains(t, lines, fmt.Sprintf("%q %q %d", id, payload, i))
			require.Contains(t, lines, fmt.Sprintf("%q %q %d", "empty", "", i))
		}
		letters, err := q.DeadLetters(background, "", 10)
		require.NoError(t, err)
		require.Len(t, letters, 2)
		for _, l := range letters {
			require.Equal(t, "because \x00", l.Reason)
			require.Equal(t, 3, l.Attempts)
			if l.ID == id {
				require.Equal(t, payload, string(l.Payload))
			}
		}
	})
}

func TestWhatIsRefused(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		q := newQueue(t, p, delayqueue.Options{MaxLength: 3})
		_, err := q.EnqueueAll(background, make([]delayqueue.Message, delayqueue.MaxBatch+1))
		require.ErrorIs(t, err, delayqueue.ErrTooMany)
		_, err = q.EnqueueAll(background, []delayqueue.Message{message("a"), message("b"), message("c"), message("d")})
		require.ErrorIs(t, err, delayqueue.ErrFull)
		require.Equal(t, delayqueue.Status{}, stats(t, q))
		_, err = q.EnqueueAll(background, []delayqueue.Message{message("a"), message("b"), message("a"), message("a")})
		require.NoError(t, err, "they are two")
		_, err = q.EnqueueAfter(background, message("c"), time.Hour)
		require.NoError(t, err)
		_, err = q.Enqueue(background, message("d"))
		require.ErrorIs(t, err, delayqueue.ErrFull)
		out, err := q.Enqueue(background, message("c"))
		require.NoError(t, err, "a message that is there needs no room")
		require.Equal(t, delayqueue.Duplicate, out)
		require.ErrorIs(t, q.Run(background, "", nil), delayqueue.ErrConsumer)

		outs, err := q.EnqueueAll(background, nil)
		require.NoError(t, err)
		require.Empty(t, outs)
	})
	for _, name := range []string{"", "a{b", "}"} {
		_, err := delayqueue.New(nil, name, delayqueue.Options{})
		require.ErrorIs(t, err, delayqueue.ErrName, name)
	}
	for _, key := range []string{"", "a", "a{b", "{}a", "}a{"} {
		_, err := delayqueue.On(nil, key, delayqueue.Options{})
		require.ErrorIs(t, err, delayqueue.ErrKey, key)
	}
	for _, o := range []delayqueue.Options{{Batch: -1}, {Batch: delayqueue.MaxBatch + 1}, {Visibility: -1}, {MaxLength: -1}} {
		_, err := delayqueue.New(nil, "q", o)
		require.ErrorIs(t, err, delayqueue.ErrOptions)
		_, err = delayqueue.On(nil, "{q}", o)
		require.ErrorIs(t, err, delayqueue.ErrOptions)
	}
}

func TestAllKeysShareASlot(t *testing.T) {
	a, err := delayqueue.New(nil, "n", delayqueue.Options{})
	require.NoError(t, err)
	b, err := delayqueue.On(nil, "x{n}{y}:outbox", delayqueue.Options{})
	require.NoError(t, err)
	require.Equal(t, "delayqueue:{n}:ready", a.StreamKey())
	require.Equal(t, "x{n}{y}:outbox:delayed", b.Keys()[1])
	for _, key := range append(a.Keys(), b.Keys()...) {
		require.Equal(t, engine.Slot("n"), engine.Slot(key), key)
	}
}

func TestExponential(t *testing.T) {
	backoff := delayqueue.Exponential(time.Second, 5*time.Minute)
	for attempt, most := range map[int]time.Duration{
		0: time.Second, 1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 9: 256 * time.Second, 10: 5 * time.Minute, 1000: 5 * time.Minute,
	} {
		seen := map[time.Duration]bool{}
		for range 200 {
			d := backoff(attempt)
			require.GreaterOrEqual(t, d, most/2)
			require.LessOrEqual(t, d, most)
			seen[d] = true
		}
		require.Greater(t, len(seen), 100, "jitter")
	}
	require.LessOrEqual(t, delayqueue.Exponential(time.Hour, 1<<63-1)(100), time.Duration(1<<63-1))
}
