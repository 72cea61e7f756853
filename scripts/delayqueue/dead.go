package delayqueue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// DeadLetter is a message that is not handed out any more.
type DeadLetter struct {
	// Entry identifies the dead letter, for Requeue, Discard and DeadLetters.
	Entry string `json:"entry"`
	// ID and Payload are those of the message.
	ID      string `json:"id"`
	Payload []byte `json:"payload"` // base64 in JSON
	// Attempts is how often it was handed out.
	Attempts int `json:"attempts"`
	// Reason says why it is dead.
	Reason string `json:"reason"`
}

// Time is when the message died, by the clock of the server, in whole milliseconds.
func (l DeadLetter) Time() time.Time { return entryTime(l.Entry) }

// DeadLetters returns up to count dead letters, the oldest first, and none if count is 0 or less.
// after is the Entry of a dead letter, behind which it begins, or "" to begin with the first one.
// It changes nothing.
func (q *Queue) DeadLetters(ctx context.Context, after string, count int) ([]DeadLetter, error) {
	if count <= 0 {
		return nil, nil
	}
	from := "-"
	if after != "" {
		from = "(" + after
	}
	v, err := q.c.DoStrings(ctx, "XRANGE", q.keys.dead, from, "+", "COUNT", strconv.Itoa(count))
	if err != nil {
		return nil, fmt.Errorf("delayqueue: dead letters: %w", err)
	}
	letters := make([]DeadLetter, 0, v.Len())
	for _, entry := range v.Slice() {
		id, fields, ok := streamEntry(entry)
		if !ok {
			return nil, fmt.Errorf("delayqueue: dead letters: %v is not an entry of a stream", entry)
		}
		l := DeadLetter{Entry: id}
		for i := 0; i+1 < len(fields); i += 2 {
			switch value := fields[i+1].Text(); {
			case i == 0: // reason
				l.Reason = value
			case i == 2: // attempts
				l.Attempts, _ = strconv.Atoi(value) // written by settle.lua
			case fields[i].Text() == "id":
				l.ID = value
			case fields[i].Text() == "payload":
				l.Payload = []byte(value)
			}
		}
		letters = append(letters, l)
	}
	return letters, nil
}

// Requeue puts dead letters, given by their Entry, back into the queue, ready immediately, as if
// they had never been tried. It returns how many of them still existed.
func (q *Queue) Requeue(ctx context.Context, entries ...string) (int, error) {
	return q.count(ctx, requeueScript, []string{q.keys.ready, q.keys.dead}, entries)
}

// Discard removes dead letters, given by their Entry, for good. It returns how many of them still
// existed. Their IDs are remembered for Options.Retention.
func (q *Queue) Discard(ctx context.Context, entries ...string) (int, error) {
	return q.count(ctx, discardScript, []string{q.keys.dead, q.keys.ids}, append([]string{q.retention()}, entries...))
}

// count runs a script that returns a number.
func (q *Queue) count(ctx context.Context, s *script.Script, keys, args []string) (int, error) {
	r, err := s.Run(ctx, q.c, keys, args)
	if err != nil {
		return 0, err
	}
	n := r.Int(0)
	return int(n), r.Err()
}
