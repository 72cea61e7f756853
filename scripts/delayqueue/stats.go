package delayqueue

import (
	"context"
	"fmt"
	"time"
)

// Stats is how a queue stands.
type Stats struct {
	Ready     int64 // messages that may be taken
	InHand    int64 // messages that consumers have
	Delayed   int64 // messages that are not due yet, retries included
	Dead      int64 // dead letters
	IDs       int64 // IDs that are known: of messages in the queue, and of those committed a while ago
	Consumers int64 // consumers that run, or have vanished and not been missed yet
	// Lag is how long the oldest ready message has waited; 0 when there is none.
	Lag time.Duration

	// Since the queue was made:
	Committed int64 // messages committed
	Retried   int64 // decisions to retry
	Died      int64 // messages that became dead letters
}

// Stats tells how the queue stands, in one atomic step.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	k := q.keys
	v, err := q.c.RunScript(ctx, statsScript, []string{k.Ready, k.Delayed, k.IDs, k.Dead, k.Meta}, []string{group})
	if err != nil {
		return Stats{}, fmt.Errorf("delayqueue: stats: %w", err)
	}
	list := v.Slice()
	if len(list) != 10 {
		return Stats{}, fmt.Errorf("delayqueue: stats: unexpected reply of %d parts", len(list))
	}
	n := func(i int) int64 { return list[i].Int() }
	return Stats{
		Ready: n(0), InHand: n(1), Delayed: n(2), Dead: n(3), IDs: n(4), Consumers: n(5), Lag: time.Duration(n(6)) * time.Millisecond,
		Committed: n(7), Retried: n(8), Died: n(9),
	}, nil
}
