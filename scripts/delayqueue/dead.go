package delayqueue

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// DeadLetter is a message that nobody will handle any more.
type DeadLetter struct {
	// Entry names it among the dead letters.
	Entry string
	// ID and Payload are those of the message.
	ID      string
	Payload []byte
	// Attempts is how often it was handed out.
	Attempts int
	// Reason says why it is dead.
	Reason string
}

// Time is when the message died, by the server's clock, to the millisecond.
func (l DeadLetter) Time() time.Time { return entryTime(l.Entry) }

// DeadLetters returns up to count dead letters, the oldest first, of those behind an entry; from the first one on when after is "".
func (q *Queue) DeadLetters(ctx context.Context, after string, count int) ([]DeadLetter, error) {
	if count <= 0 {
		return nil, nil
	}
	from := "-"
	if after != "" {
		from = "(" + after
	}
	v, err := q.c.DoStrings(ctx, "XRANGE", q.keys.Dead, from, "+", "COUNT", strconv.Itoa(count))
	if err != nil {
		return nil, fmt.Errorf("delayqueue: dead letters: %w", err)
	}
	letters := make([]DeadLetter, 0, v.Len())
	for _, entry := range v.Slice() {
		pair := entry.Slice()
		l := DeadLetter{Entry: pair[0].Text()}
		fields := pair[1].Slice()
		for i := 0; i+1 < len(fields); i += 2 {
			switch value := fields[i+1].Text(); {
			case i == 0: // reason
				l.Reason = value
			case i == 2: // attempts
				l.Attempts, _ = strconv.Atoi(value) // a script has written it
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

// Requeue puts dead letters back into the queue, ready at once, as if they had never been tried. It returns how many there still were.
func (q *Queue) Requeue(ctx context.Context, entries ...string) (int, error) {
	v, err := q.c.RunScript(ctx, requeueScript, []string{q.keys.Ready, q.keys.Dead}, entries)
	if err != nil {
		return 0, fmt.Errorf("delayqueue: requeue: %w", err)
	}
	return int(v.Int()), nil
}

// Discard removes dead letters for good. It returns how many there still were. Their IDs are remembered for Options.Retention.
func (q *Queue) Discard(ctx context.Context, entries ...string) (int, error) {
	v, err := q.c.RunScript(ctx, discardScript, []string{q.keys.Dead, q.keys.IDs}, append([]string{q.retention()}, entries...))
	if err != nil {
		return 0, fmt.Errorf("delayqueue: discard: %w", err)
	}
	return int(v.Int()), nil
}
