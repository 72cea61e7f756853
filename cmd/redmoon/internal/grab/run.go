package grab

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Run is one run of the demonstration. [New] makes it.
type Run struct {
	o          Options
	client     engine.Client
	activities []*redpacket.Activity // user u belongs to activity u % len
	packets    []redpacket.Packet
	attempts   int
	next       atomic.Int64 // number of the next attempt; may be more than attempts
	stopped    atomic.Bool
	workers    []*worker
	elapsed    time.Duration
	refunds    []redpacket.Refund // of each activity, after Expire
}

// worker is one goroutine of a run, with its measurements.
type worker struct {
	run       *Run
	calls     *hdrhistogram.Histogram // latency of each call in ns
	grabbed   []grabbed               // successful grabs
	repeated  []grabbed               // answers to users who called again
	refused   int64                   // calls of users who already had a packet
	empty     int64                   // calls that found no packet left
	cancelled int64                   // calls that were cancelled
	failed    int64                   // calls that failed and were repeated
	rnd       *rand.Rand              // decides when to cancel
	err       error                   // why the worker has stopped
}

// grabbed is the answer to a successful grab.
type grabbed struct {
	user   int
	packet redpacket.Packet
}

// maxLatency is the longest latency that is measured. Longer ones count as this one.
const maxLatency = time.Minute

// New prepares a run on c. It checks the options, and makes no call.
func New(c engine.Client, o Options) (*Run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	run := &Run{o: o, client: c, attempts: attempts(o.Users)}
	for i := range o.Activities {
		a, err := redpacket.New(c, o.name(i), redpacket.Options{Sender: sender})
		if err != nil {
			return nil, err
		}
		run.activities = append(run.activities, a)
	}
	var err error
	if run.packets, err = o.prepare(o.Rand); err != nil {
		return nil, err
	}
	for range o.Workers {
		run.workers = append(run.workers, &worker{
			run:     run,
			calls:   hdrhistogram.New(1, int64(maxLatency), 3),
			grabbed: make([]grabbed, 0, o.Packets/o.Workers*5/4+16),
			rnd:     rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		})
	}
	return run, nil
}

// Options returns the options with the defaults filled in.
func (r *Run) Options() Options { return r.o }

// Keys returns the keys of each activity.
func (r *Run) Keys() [][]string {
	var keys [][]string
	for _, a := range r.activities {
		keys = append(keys, a.Keys())
	}
	return keys
}

// Open stores the packets. It returns [redpacket.ErrExists] if an activity exists.
func (r *Run) Open(ctx context.Context) error {
	for i, a := range r.activities {
		if err := a.Open(ctx, r.o.share(r.packets, i)); err != nil {
			return err
		}
	}
	return nil
}

// Expire closes the activities and refunds what is left.
func (r *Run) Expire(ctx context.Context) error {
	r.refunds = nil
	for _, a := range r.activities {
		refund, err := a.Expire(ctx)
		if err != nil {
			return err
		}
		r.refunds = append(r.refunds, refund)
	}
	return nil
}

// grab takes a packet for user u.
func (r *Run) grab(ctx context.Context, u int) (redpacket.Packet, error) {
	g, err := r.activities[u%len(r.activities)].Grab(ctx, userID(u))
	return g.Packet, err
}

// Grab runs the workers until all users have been served. It returns the first error that is not an
// answer of an activity, or ctx's error if ctx ends first.
func (r *Run) Grab(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { r.stopped.Store(true) })
	defer stop()
	var wg sync.WaitGroup
	start := time.Now()
	for _, w := range r.workers {
		wg.Go(w.work)
	}
	wg.Wait()
	r.elapsed = time.Since(start)
	for _, w := range r.workers {
		if w.err != nil {
			return w.err
		}
	}
	return ctx.Err()
}

// Progress returns how many attempts have begun, and how many there are. It may be called while
// Grab runs.
func (r *Run) Progress() (begun, all int) {
	return min(int(r.next.Load()), r.attempts), r.attempts
}

// work makes attempts until there are no more. Each call is timed from the end of the one before,
// because the worker does almost nothing in between.
func (w *worker) work() {
	ctx := context.Background()
	last := time.Now()
	for !w.run.stopped.Load() {
		i := int(w.run.next.Add(1)) - 1
		if i >= w.run.attempts {
			return
		}
		u := user(i)
		again := true
		if w.run.o.Cancel {
			again = w.callAndMayCancel(u)
			last = time.Now()
		}
		if again {
			last = w.callUntilAnswered(ctx, u, last)
		}
		if w.err != nil {
			w.run.stopped.Store(true)
			return
		}
	}
}

// callUntilAnswered repeats the call of user u until there is an answer or the time
// Options.Patience has passed. It returns when the last call ended.
func (w *worker) callUntilAnswered(ctx context.Context, u int, since time.Time) time.Time {
	for first := since; ; {
		p, err := w.run.grab(ctx, u)
		now := time.Now()
		_ = w.calls.RecordValue(int64(min(now.Sub(since), maxLatency)))
		if err == nil || !isTransient(err) || now.Sub(first) >= w.run.o.Patience || w.run.stopped.Load() {
			w.record(u, p, err)
			return now
		}
		w.failed++
		time.Sleep(retryInterval)
		since = time.Now()
	}
}

// retryInterval is the time between a failed call and its repetition.
const retryInterval = 20 * time.Millisecond

// isTransient reports whether an error may go away soon: an error of a connection, or of a server
// or cluster that is not ready.
func isTransient(err error) bool {
	var e *engine.Error
	if errors.As(err, &e) {
		return slices.Contains([]string{"CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "TRYAGAIN", "MOVED", "ASK"}, e.Code)
	}
	return !isAnswer(err)
}

// callAndMayCancel makes one call, and three times out of four ends its context at a random moment.
// It reports whether the call must be repeated.
func (w *worker) callAndMayCancel(u int) (again bool) {
	ctx := context.Background()
	start := time.Now()
	if w.rnd.IntN(4) > 0 {
		// This is a deadline and not a cancellation, because go-redis ignores cancellation while it
		// waits for a reply.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(w.rnd.Int64N(int64(200*time.Microsecond))))
		defer cancel()
	}
	p, err := w.run.grab(ctx, u)
	switch {
	case err == nil || isAnswer(err):
	case ctx.Err() != nil:
		w.cancelled++
		return true
	case isTransient(err) && w.run.o.Patience > 0:
		w.failed++
		return true
	}
	_ = w.calls.RecordValue(int64(min(time.Since(start), maxLatency)))
	w.record(u, p, err)
	return false
}

// isAnswer reports whether an error is an answer of an activity.
func isAnswer(err error) bool {
	return errors.Is(err, redpacket.ErrAlreadyGrabbed) || errors.Is(err, redpacket.ErrEmpty)
}

// record records the answer of one call.
func (w *worker) record(u int, p redpacket.Packet, err error) {
	switch {
	case err == nil:
		w.grabbed = append(w.grabbed, grabbed{u, p})
	case errors.Is(err, redpacket.ErrAlreadyGrabbed):
		w.refused++
		w.repeated = append(w.repeated, grabbed{u, p})
	case errors.Is(err, redpacket.ErrEmpty):
		w.empty++
	default:
		w.err = err
	}
}
