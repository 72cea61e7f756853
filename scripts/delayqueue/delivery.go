package delayqueue

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Handler does the work of a batch of at least one message, and decides about each message.
// Messages without a decision are committed if it returns nil, and retried after a back-off if it
// returns an error or panics. ctx ends with the visibility timeout. It does not end when the
// context of Run ends: the batch in hand is finished.
type Handler func(ctx context.Context, batch []*Delivery) error

// Backoff as the delay of Retry means the delay of Options.Backoff.
const Backoff time.Duration = -1

// Delivery is a message that was handed to a handler. The last decision before the handler returns
// counts. A Delivery must be used by one goroutine at a time, and not after the handler has
// returned.
type Delivery struct {
	// ID is the idempotency key of the message.
	ID string
	// Payload is the content of the message.
	Payload []byte
	// Attempt is how often the message was handed out, including this time: 1 or more.
	Attempt int

	entry   string // of the ready stream
	times   string // how often that entry was handed out, as an argument
	verdict verdict
	after   time.Duration // of a retry
	reason  string        // of a dead letter
}

type verdict string

// The verdicts, as in settle.lua.
const (
	undecided verdict = ""
	commit    verdict = "commit"
	retry     verdict = "retry"
	dead      verdict = "dead"
	drop      verdict = "drop"
)

// Commit decides that the work is done: the message is removed.
func (d *Delivery) Commit() { d.verdict = commit }

// Retry decides that the message is handed out again after a delay, in whole milliseconds, rounded
// up. After 0 it is ready immediately, behind all messages that are ready. [Backoff] means the
// delay of Options.Backoff. After the last attempt the message is dead instead.
func (d *Delivery) Retry(after time.Duration) { d.verdict, d.after = retry, after }

// Dead decides that the message cannot be handled: it becomes a dead letter with the given reason.
func (d *Delivery) Dead(reason string) { d.verdict, d.reason = dead, reason }

// Ready is when the message became ready, by the clock of the server, in whole milliseconds.
func (d *Delivery) Ready() time.Time { return entryTime(d.entry) }

// entryTime is the time in the ID of an entry of a stream.
func entryTime(entry string) time.Time {
	text, _, _ := strings.Cut(entry, "-")
	ms, _ := strconv.ParseInt(text, 10, 64) // the server made the ID
	return time.UnixMilli(ms)
}

// streamEntry reads an entry of a stream: [ID, [field, value ...]].
func streamEntry(v engine.Value) (id string, fields []engine.Value, ok bool) {
	pair := v.Slice()
	if len(pair) != 2 {
		return "", nil, false
	}
	return pair[0].Text(), pair[1].Slice(), true
}

// delivery reads an entry of the ready stream that was handed out the given number of times. An
// entry that is not a message, and a message that was handed out too often, has its verdict
// already. The result is nil for an entry that was deleted.
func (q *Queue) delivery(entry engine.Value, times int64) *Delivery {
	id, fields, ok := streamEntry(entry)
	if !ok {
		return nil
	}
	d := &Delivery{entry: id, times: script.Int(times), Attempt: 1}
	known := false
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
		d.Dead("the entry has no id")
	}
	return d
}
