package rain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/ledger"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/meter"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/page"
	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/settle"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Run is one run. Make it with [New].
type Run struct {
	o          Options
	activities []activity
	queues     []*delayqueue.Queue
	meter      *meter.Meter
	crowd      *crowd

	report   Report
	watching sync.Mutex // guards all below, and calls of Watch
	state    page.State
	start    time.Time
	last     sample
}

// Report is what a run has come to.
type Report struct {
	Prepared    ledger.Total                 // packets
	Calls       *meter.Measures              // of the workers
	Settled     map[ledger.Kind]ledger.Total // what the ledger has of this run
	Prepare     time.Duration                // time to load the packets
	Grab        time.Duration                // from the first call of a user to the end of the last
	Settle      time.Duration                // from the first call of a user until everything is settled
	DeadLetters []delayqueue.DeadLetter      // a few of them, if any
	Findings    []page.Finding
}

// OK says that the audit has found everything well.
func (r Report) OK() bool {
	for _, f := range r.Findings {
		if !f.OK {
			return false
		}
	}
	return len(r.Findings) > 0
}

// New prepares a run. It touches nothing in Redis; the options are checked.
func New(o Options) (*Run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &Run{o: o, meter: meter.New(o.Workers)}
	var err error
	if r.activities, err = r.o.prepare(); err != nil {
		return nil, err
	}
	for _, a := range r.activities {
		q, err := settle.Queue(o.Client, a.name, o.Settle)
		if err != nil {
			return nil, err
		}
		r.queues = append(r.queues, q)
	}
	r.crowd = newCrowd(&r.o, r.activities, r.meter)
	r.state = page.State{
		Stage: page.Prepare, On: o.On, Ledger: o.Ledger.Name(), Workers: o.Workers, Packets: int64(o.Packets), Total: o.Total,
	}
	return r, nil
}

// Options are the run's options, with the defaults filled in.
func (r *Run) Options() Options { return r.o }

// Attempts returns how many calls of users there will be, when none is made again.
func (r *Run) Attempts() int { return r.crowd.attempts }

// Run runs all stages and returns what it has come to. It returns an error when a stage could not
// be brought to its end, with what there is to report by then.
func (r *Run) Run(ctx context.Context) (Report, error) {
	err := r.run(ctx)
	if err != nil {
		r.enter(page.Done, 1, func(s *page.State) { s.Failure = err.Error() })
	}
	return r.report, err
}

func (r *Run) run(ctx context.Context) error {
	stopSampling := r.sampling(ctx)
	defer stopSampling()
	r.enter(page.Prepare, int64(r.o.Packets), nil)
	if err := r.open(ctx); err != nil {
		return err
	}
	// The consumers' end before ours is a failure that ends everything.
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	consumed := make(chan error, 1)
	go func() {
		err := r.o.Consume(working, r.names())
		if err != nil {
			err = fmt.Errorf("consumers: %w", err)
			cancel(err)
		}
		consumed <- err
	}()
	err := r.work(working)
	if err == nil {
		stopSampling()
		r.report.Calls = r.meter.Total()
		r.report.Settled, err = r.totals(ctx)
	}
	if cause := context.Cause(working); err != nil && cause != nil && ctx.Err() == nil {
		err = cause
	}
	cancel(context.Canceled)
	if err := errors.Join(err, <-consumed); err != nil {
		return err
	}
	return r.audit(ctx)
}

// work is what goes on while there are consumers.
func (r *Run) work(ctx context.Context) error {
	r.enter(page.Grab, int64(r.crowd.attempts), nil)
	begin := time.Now()
	if err := r.crowd.run(ctx); err != nil {
		return err
	}
	r.report.Grab = time.Since(begin)
	r.enter(page.Settle, r.crowd.packets(), nil)
	for _, a := range r.activities {
		if _, err := a.Expire(ctx); err != nil {
			return fmt.Errorf("expire %s: %w", a.name, err)
		}
	}
	if err := r.drained(ctx); err != nil {
		return err
	}
	r.report.Settle = time.Since(begin)
	return nil
}

func (r *Run) open(ctx context.Context) error {
	begin := time.Now()
	loaded := 0
	for _, a := range r.activities {
		err := a.Open(ctx, a.packets)
		if err != nil && (r.o.Rand == nil || !errors.Is(err, redpacket.ErrExpired)) { // a run is continued after its last grab
			return fmt.Errorf("open %s: %w", a.name, err)
		}
		loaded += len(a.packets)
		r.step(int64(loaded))
	}
	r.report.Prepare = time.Since(begin)
	r.report.Prepared = ledger.Total{Count: int64(r.o.Packets), Cents: r.o.Total}
	return nil
}

// drained returns when the queues hold only dead letters.
func (r *Run) drained(ctx context.Context) error {
	for _, q := range r.queues {
		for {
			s, err := q.Status(ctx)
			if err == nil && s.Ready+s.InHand+s.Delayed == 0 {
				break
			}
			// A server that cannot be asked may come back.
			if err := pause(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

// totals are what the ledger has of this run.
func (r *Run) totals(ctx context.Context) (map[ledger.Kind]ledger.Total, error) {
	all := map[ledger.Kind]ledger.Total{}
	for _, a := range r.activities {
		totals, err := r.o.Ledger.Totals(ctx, a.name)
		if err != nil {
			return nil, err
		}
		for kind, t := range totals {
			all[kind] = all[kind].Plus(t)
		}
	}
	return all, nil
}

func (r *Run) names() []string {
	names := make([]string, len(r.activities))
	for i, a := range r.activities {
		names[i] = a.name
	}
	return names
}

// Clean removes the keys of the run.
func (r *Run) Clean(ctx context.Context) error {
	var errs []error
	for i, a := range r.activities {
		keys := append(r.queues[i].Keys(), a.Keys()...)
		_, err := r.o.Client.DoStrings(ctx, append([]string{"DEL"}, keys...)...)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
