package delayqueue

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"
)

// Message is a message to enqueue.
type Message struct {
	// ID is its idempotency key: while a message with it is in the queue, and for Options.Retention after that was committed, another
	// one is not enqueued. Empty: a random one is made, which is of no use to a caller that tries again.
	ID string
	// Payload is what the handler gets.
	Payload []byte
}

// Outcome is what has become of a message that was to be enqueued.
type Outcome int

// The outcomes.
const (
	Duplicate Outcome = iota // a message with its ID is, or was, in the queue: nothing was changed
	Queued                   // it is in the queue
)

// String is "duplicate" or "queued".
func (o Outcome) String() string {
	switch o {
	case Duplicate:
		return "duplicate"
	case Queued:
		return "queued"
	}
	return "outcome " + strconv.Itoa(int(o))
}

// Enqueue puts a message into the queue, ready at once. After an error other than [ErrFull] it may be there or not: to call again with the
// same ID is harmless.
func (q *Queue) Enqueue(ctx context.Context, m Message) (Outcome, error) {
	return q.one(ctx, "now", "0", m)
}

// EnqueueAfter puts a message into the queue that is ready when d has passed; at once for a d of 0 or less.
func (q *Queue) EnqueueAfter(ctx context.Context, m Message, d time.Duration) (Outcome, error) {
	return q.one(ctx, "after", millis(max(d, 0)), m)
}

// EnqueueAt puts a message into the queue that is ready at a time, to the millisecond; at once for a time that has passed.
func (q *Queue) EnqueueAt(ctx context.Context, m Message, at time.Time) (Outcome, error) {
	ms := max(at.UnixMilli(), 0)
	if ms < 1<<53 && at.Nanosecond()%1e6 != 0 {
		ms++
	}
	return q.one(ctx, "at", strconv.FormatInt(ms, 10), m)
}

// EnqueueAll puts messages into the queue, ready at once, in their order and in one atomic step. It returns the outcome of each. The error is
// [ErrFull], or [ErrTooMany] for more than MaxBatch.
func (q *Queue) EnqueueAll(ctx context.Context, ms []Message) ([]Outcome, error) {
	return q.enqueue(ctx, "now", "0", ms)
}

func (q *Queue) one(ctx context.Context, kind, when string, m Message) (Outcome, error) {
	list, err := q.enqueue(ctx, kind, when, []Message{m})
	if err != nil {
		return Duplicate, err
	}
	return list[0], nil
}

func (q *Queue) enqueue(ctx context.Context, kind, when string, ms []Message) ([]Outcome, error) {
	if len(ms) == 0 {
		return nil, nil
	}
	if len(ms) > MaxBatch {
		return nil, ErrTooMany
	}
	args := make([]string, 0, 4+2*len(ms))
	args = append(args, strconv.Itoa(max(0, q.o.MaxLength)), strconv.Itoa(blockMillis), kind, when)
	for _, m := range ms {
		if m.ID == "" {
			m.ID = rand.Text()
		}
		args = append(args, m.ID, string(m.Payload))
	}
	v, err := q.c.RunScript(ctx, enqueueScript, []string{q.keys.Ready, q.keys.Delayed, q.keys.IDs, q.keys.Meta}, args)
	if err != nil {
		return nil, fmt.Errorf("delayqueue: enqueue: %w", err)
	}
	list := v.Slice()
	if len(list) == 1 && list[0].Int() < 0 {
		return nil, ErrFull
	}
	if len(list) != len(ms) {
		return nil, fmt.Errorf("delayqueue: enqueue: unexpected reply of %d parts", len(list))
	}
	out := make([]Outcome, len(list))
	for i, x := range list {
		out[i] = Outcome(x.Int())
	}
	return out, nil
}
