// Package settle is the consumer: it takes the records of red packets off the settlement streams
// and settles them in a ledger.
//
// A batch is settled in one transaction of the database, and committed on the queue after that. A
// consumer that dies in between leaves messages that another one gets again; the ledger knows them
// by their idempotency keys. So each is settled exactly once, whenever consumers die.
package settle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Moment is a moment in the handling of a batch.
type Moment int

// The moments.
const (
	Taken   Moment = iota // the batch is in hand, nothing has been done
	Settled               // the transaction is committed, the messages are not
)

// Options of consumers. The zero value works.
type Options struct {
	// Consumers is how many settle the records of each activity. Default 1.
	Consumers int
	// Batch is the most records in a transaction. Default 500, at most delayqueue.MaxBatch.
	Batch int
	// Visibility is how long a consumer may take for a batch before others take it over. Default 30 s.
	Visibility time.Duration
	// Logger receives what goes wrong on the way. Default: nothing is logged.
	Logger *slog.Logger
	// At is called at the moments of each batch, with what became of its settlements (nil at Taken).
	// Default: nothing is called.
	At func(Moment, []ledger.Outcome)
}

// longestPause is the longest time between two tries of a batch.
const longestPause = 5 * time.Second

// Queue is the queue of an activity's records.
func Queue(c engine.Client, activity string, o Options) (*delayqueue.Queue, error) {
	a, err := redpacket.New(c, activity, redpacket.Options{})
	if err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = 500
	}
	return delayqueue.On(c, a.StreamKey(), delayqueue.Options{
		Batch: o.Batch, Visibility: o.Visibility, Logger: o.Logger,
		MaxAttempts: -1, // a database that is away for an hour makes no dead letters
		Backoff:     delayqueue.Exponential(50*time.Millisecond, longestPause),
		Retention:   -1, // the ledger knows what it has settled
	})
}

// Run settles the records of activities until ctx ends. name distinguishes the consumers of this
// call from those of others. It returns nil when ctx has ended, and an error when the consumers
// cannot work at all.
func Run(ctx context.Context, c engine.Client, l *ledger.Ledger, activities []string, name string, o Options) error {
	var queues []*delayqueue.Queue
	for _, activity := range activities {
		q, err := Queue(c, activity, o)
		if err != nil {
			return err
		}
		queues = append(queues, q)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i, q := range queues {
		for n := range max(1, o.Consumers) {
			wg.Go(func() {
				err := q.Run(ctx, fmt.Sprintf("%s-%d", name, n), Handler(l, activities[i], o.At))
				if ctx.Err() == nil {
					cancel(err)
				}
			})
		}
	}
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// Handler settles the batches of an activity. What is not a record, what the database refuses, and
// what has the key of another settlement becomes a dead letter.
func Handler(l *ledger.Ledger, activity string, at func(Moment, []ledger.Outcome)) delayqueue.Handler {
	if at == nil {
		at = func(Moment, []ledger.Outcome) {}
	}
	return func(ctx context.Context, batch []*delayqueue.Delivery) error {
		at(Taken, nil)
		settlements, deliveries := make([]ledger.Settlement, 0, len(batch)), make([]*delayqueue.Delivery, 0, len(batch))
		for _, d := range batch {
			s, err := Decode(activity, d.ID, d.Payload)
			if err != nil {
				d.Dead(err.Error())
				continue
			}
			settlements, deliveries = append(settlements, s), append(deliveries, d)
		}
		outcomes, err := l.Settle(ctx, settlements)
		if errors.Is(err, ledger.ErrRefused) {
			return oneByOne(ctx, l, settlements, deliveries)
		}
		if err != nil {
			return err // all are tried again
		}
		at(Settled, outcomes)
		for i, outcome := range outcomes {
			decide(deliveries[i], outcome)
		}
		return nil
	}
}

// oneByOne settles what the database has refused together, so that only what it refuses alone is
// dead.
func oneByOne(ctx context.Context, l *ledger.Ledger, settlements []ledger.Settlement, deliveries []*delayqueue.Delivery) error {
	for i, d := range deliveries {
		outcomes, err := l.Settle(ctx, settlements[i:i+1])
		switch {
		case errors.Is(err, ledger.ErrRefused):
			d.Dead(err.Error())
		case err != nil:
			return err // this one and those behind it are tried again
		default:
			decide(d, outcomes[0])
		}
	}
	return nil
}

func decide(d *delayqueue.Delivery, outcome ledger.Outcome) {
	if outcome == ledger.Conflict {
		d.Dead("its idempotency key is that of another settlement")
		return
	}
	d.Commit()
}

// Decode reads the payload of a message as the settlement that it asks for.
func Decode(activity, id string, payload []byte) (ledger.Settlement, error) {
	var r redpacket.Record
	if err := json.Unmarshal(payload, &r); err != nil {
		return ledger.Settlement{}, fmt.Errorf("not a record: %w", err)
	}
	if r.ID != id {
		return ledger.Settlement{}, fmt.Errorf("the record of %q in a message of %q", r.ID, id)
	}
	s := Settlement(activity, r)
	return s, s.Check()
}

// Settlement is the settlement that a record asks for. Ids of packets are unique in an activity
// only, idempotency keys in the ledger.
func Settlement(activity string, r redpacket.Record) ledger.Settlement {
	kind := ledger.Grab
	if r.Refund {
		kind = ledger.Refund
	}
	return ledger.Settlement{Key: activity + "/" + r.ID, Activity: activity, Kind: kind, Packet: r.ID, Account: r.User, Cents: r.Amount}
}
