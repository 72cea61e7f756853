package delayqueue

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Message is a message to enqueue.
type Message struct {
	// ID is the idempotency key. A message is not enqueued while another one with its ID is in the
	// queue, nor for Options.Retention after that one was committed. If it is empty, a random one is
	// made; then a repeated call enqueues the message again.
	ID string `json:"id,omitempty"`
	// Payload is what the handler gets.
	Payload []byte `json:"payload"` // base64 in JSON
}

// Outcome is what became of a message to enqueue.
type Outcome int

// The outcomes.
const (
	Unknown   Outcome = iota // the call failed, or it is unknown what it did; see the error
	Queued                   // it is in the queue
	Duplicate                // a message with its ID is, or was, in the queue: nothing was changed
)

var outcomes = script.Names{"unknown", "queued", "duplicate"}

// String is the outcome in words.
func (o Outcome) String() string { return outcomes.Of("Outcome", int(o)) }

// MarshalText returns the text of String, also in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Text("delayqueue.Outcome", int(o)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomes.Read("delayqueue.Outcome", (*int)(o), text)
}

// Enqueue puts a message into the queue, ready immediately. After an error other than [ErrFull] it
// is unknown whether the message was enqueued; calling again with the same ID is harmless.
func (q *Queue) Enqueue(ctx context.Context, m Message) (Outcome, error) {
	return q.one(ctx, "now", "0", m)
}

// EnqueueAfter puts a message into the queue that is ready when d has passed, in whole
// milliseconds, rounded up. It is ready immediately if d is 0 or less. Errors are as for Enqueue.
func (q *Queue) EnqueueAfter(ctx context.Context, m Message, d time.Duration) (Outcome, error) {
	return q.one(ctx, "after", script.Millis(max(d, 0)), m)
}

// EnqueueAt puts a message into the queue that is ready at the given time, in whole milliseconds,
// rounded up. It is ready immediately if that time has passed. Errors are as for Enqueue.
func (q *Queue) EnqueueAt(ctx context.Context, m Message, at time.Time) (Outcome, error) {
	ms := max(at.UnixMilli(), 0)
	if ms < 1<<53 && at.Nanosecond()%1e6 != 0 {
		ms++
	}
	return q.one(ctx, "at", script.Int(ms), m)
}

// EnqueueAll puts messages into the queue, ready immediately, in their order and in one atomic
// step. It returns the outcome of each. It returns [ErrFull] if there is no room for all, and
// [ErrTooMany] for more than [MaxBatch] messages. Other errors are as for Enqueue.
func (q *Queue) EnqueueAll(ctx context.Context, messages []Message) ([]Outcome, error) {
	return q.enqueue(ctx, "now", "0", messages)
}

func (q *Queue) one(ctx context.Context, kind, when string, m Message) (Outcome, error) {
	list, err := q.enqueue(ctx, kind, when, []Message{m})
	if err != nil {
		return Unknown, err
	}
	return list[0], nil
}

func (q *Queue) enqueue(ctx context.Context, kind, when string, messages []Message) ([]Outcome, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	if len(messages) > MaxBatch {
		return nil, fmt.Errorf("%w: %d", ErrTooMany, len(messages))
	}
	args := make([]string, 0, 4+2*len(messages))
	args = append(args, strconv.Itoa(q.o.MaxLength), strconv.Itoa(blockMillis), kind, when)
	for _, m := range messages {
		if m.ID == "" {
			m.ID = rand.Text()
		}
		args = append(args, m.ID, string(m.Payload))
	}
	k := q.keys
	r, err := enqueueScript.Run(ctx, q.c, []string{k.ready, k.delayed, k.ids, k.meta}, args)
	switch {
	case err != nil:
		return nil, err
	case r.Outcome == "full":
		return nil, ErrFull
	case r.Outcome != "ok":
		return nil, r.Unexpected()
	case r.Len() != len(messages):
		return nil, r.Malformed("has %d details for %d messages", r.Len(), len(messages))
	}
	list := make([]Outcome, len(messages))
	for i := range list {
		list[i] = Outcome(outcomes.Find(r.Text(i)))
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return list, nil
}
