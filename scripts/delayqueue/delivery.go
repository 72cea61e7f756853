package delayqueue

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Handler does the work of a batch, which has at least one message, and decides about each. What it has not decided is committed when it returns nil,
// and retried after a back-off when it returns an error or panics. ctx ends with the visibility time-out, not when the consumer is to stop: the
// batch in hand is finished.
type Handler func(ctx context.Context, batch []*Delivery) error

// Backoff as the delay of a retry stands for that of Options.Backoff.
const Backoff time.Duration = -1

// Delivery is a message that was handed to a handler. Until the handler returns, the last decision counts. A delivery is for one goroutine.
type Delivery struct {
	// ID is the message's idempotency key.
	ID string
	// Payload is the message.
	Payload []byte
	// Attempt says how often the message was handed out, this time included: 1 or more.
	Attempt int

	entry   string // of the ready stream
	times   string // how often that entry was handed out
	verdict verdict
	after   time.Duration // of a retry
	reason  string        // of a dead letter
}

type verdict string

// The verdicts, as settle.lua has them.
const (
	undecided verdict = ""
	commit    verdict = "commit"
	retry     verdict = "retry"
	dead      verdict = "dead"
	drop      verdict = "drop"
)

// Commit says that the work is done: the message is removed.
func (d *Delivery) Commit() { d.verdict = commit }

// Retry says that the message is to be handed out again after a delay: 0 is at once, behind all that are ready, and [Backoff] the queue's own
// choice. After the last attempt the message is dead instead.
func (d *Delivery) Retry(after time.Duration) { d.verdict, d.after = retry, after }

// Dead says that the message cannot be handled: it is moved to the dead letters, with the reason.
func (d *Delivery) Dead(reason string) { d.verdict, d.reason = dead, reason }

// Ready is when the message became ready, by the server's clock, to the millisecond.
func (d *Delivery) Ready() time.Time { return entryTime(d.entry) }

// entryTime is the time in the ID of a stream's entry.
func entryTime(entry string) time.Time {
	text, _, _ := strings.Cut(entry, "-")
	ms, _ := strconv.ParseInt(text, 10, 64) // an ID that a server made
	return time.UnixMilli(ms)
}

// delivery reads an entry of the ready stream, which has been handed out so many times: [ID, [field, value ...]]. What is no message, or
// one that was handed out too often, has its verdict already.
func (q *Queue) delivery(entry engine.Value, times int64) *Delivery {
	pair := entry.Slice()
	if len(pair) != 2 {
		return nil
	}
	d := &Delivery{entry: pair[0].Text(), times: strconv.FormatInt(times, 10), Attempt: 1}
	fields, known := pair[1].Slice(), false
	for i := 0; i+1 < len(fields); i += 2 {
		switch value := fields[i+1].Text(); fields[i].Text() {
		case "id":
			d.ID, known = value, true
		case "payload":
			d.Payload = []byte(value)
		case "attempt":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				d.Attempt = n
			}
		case "wake":
			d.verdict = drop
		}
	}
	d.Attempt += int(times) - 1
	switch {
	case known && q.o.MaxAttempts > 0 && d.Attempt > q.o.MaxAttempts:
		d.Attempt--
		d.Dead("attempts exhausted")
		if times > 1 {
			d.Dead("attempts exhausted: the last consumer vanished")
		}
	case known:
		d.verdict = undecided
	case d.verdict != drop:
		d.Dead("an entry without id")
	}
	return d
}
