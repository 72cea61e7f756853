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

// Run is one run, from its packets to its audit. Make it with [New].
type Run struct {
	o          Options
	client     engine.Client
	activities []*redpacket.Activity // user u belongs to number u % len
	packets    []redpacket.Packet
	attempts   int
	next       atomic.Int64 // the attempt that comes next; may go past attempts
	stopped    atomic.Bool
	workers    []*worker
	elapsed    time.Duration
	refunds    []redpacket.Refund // one for each activity, after Expire
}

// worker is one goroutine's share of a run.
type worker struct {
	run       *Run
	calls     *hdrhistogram.Histogram // latency of every call, ns
	told      []told                  // the grabs that succeeded
	found     []told                  // what users had, who came again
	refused   int64                   // calls of users who had a packet already
	empty     int64                   // calls that found no packet left
	cancelled int64                   // calls given up
	failed    int64                   // calls that failed and were repeated
	rnd       *rand.Rand              // when to give up
	err       error                   // what made the worker stop
}

// told is a grab as its user was told.
type told struct {
	user   int
	packet redpacket.Packet
}

// longest is the longest latency that is told apart from longer ones.
const longest = time.Minute

// New prepares a run on c. It touches nothing on c; the options are checked.
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
	if run.packets, err = o.prepare(nil); err != nil {
		return nil, err
	}
	for range o.Workers {
		run.workers = append(run.workers, &worker{
			run:   run,
			calls: hdrhistogram.New(1, int64(longest), 3),
			told:  make([]told, 0, o.Packets/o.Workers*5/4+16),
			rnd:   rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		})
	}
	return run, nil
}

// Options are the run's options, with the defaults filled in.
func (r *Run) Options() Options { return r.o }

// Keys are the keys that the run uses, those of each activity.
func (r *Run) Keys() [][]string {
	var keys [][]string
	for _, a := range r.activities {
		keys = append(keys, a.Keys())
	}
	return keys
}

// Open loads the packets. It returns [redpacket.ErrExists] when an activity exists.
func (r *Run) Open(ctx context.Context) error {
	for i, a := range r.activities {
		if err := a.Open(ctx, r.o.share(r.packets, i)); err != nil {
			return err
		}
	}
	return nil
}

// Expire closes the activities, so that what is left goes back.
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

// Grab lets the workers loose and returns when all users have come. It returns the first error that is none of
// an activity's answers, or ctx's error when ctx ended before.
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

// Progress tells how many attempts of how many have begun. It may be called while Grab runs.
func (r *Run) Progress() (begun, all int) {
	return min(int(r.next.Load()), r.attempts), r.attempts
}

// work makes attempts until there are no more. Each call is timed from the end of the one before: the worker
// does next to nothing in between.
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
			again = w.giveUp(u)
			last = time.Now()
		}
		if again {
			last = w.come(ctx, u, last)
		}
		if w.err != nil {
			w.run.stopped.Store(true)
			return
		}
	}
}

// come lets user u come until there is an answer, or patience is at its end. It returns when the last call ended.
func (w *worker) come(ctx context.Context, u int, since time.Time) time.Time {
	for first := since; ; {
		p, err := w.run.grab(ctx, u)
		now := time.Now()
		_ = w.calls.RecordValue(int64(min(now.Sub(since), longest)))
		if err == nil || !passing(err) || now.Sub(first) >= w.run.o.Patience || w.run.stopped.Load() {
			w.note(u, p, err)
			return now
		}
		w.failed++
		time.Sleep(pause)
		since = time.Now()
	}
}

// pause is how long a user waits who comes again.
const pause = 20 * time.Millisecond

// passing reports whether an error is one that may be gone in a moment: of a connection, or of a server or cluster that is not ready.
func passing(err error) bool {
	var e *engine.Error
	if errors.As(err, &e) {
		return slices.Contains([]string{"CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "TRYAGAIN", "MOVED", "ASK"}, e.Code)
	}
	return !answer(err)
}

// giveUp makes one call and ends its context, three times in four, at a random moment. It reports whether the
// call was given up, so that the user is to come again.
func (w *worker) giveUp(u int) (again bool) {
	ctx := context.Background()
	start := time.Now()
	if w.rnd.IntN(4) > 0 {
		// A deadline, not a cancellation: go-redis does not look at that while it waits for a reply.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(w.rnd.Int64N(int64(200*time.Microsecond))))
		defer cancel()
	}
	p, err := w.run.grab(ctx, u)
	switch {
	case err == nil || answer(err):
	case ctx.Err() != nil:
		w.cancelled++
		return true
	case passing(err) && w.run.o.Patience > 0:
		w.failed++
		return true
	}
	_ = w.calls.RecordValue(int64(min(time.Since(start), longest)))
	w.note(u, p, err)
	return false
}

// answer reports whether an error is one of an activity's answers.
func answer(err error) bool {
	return errors.Is(err, redpacket.ErrAlreadyGrabbed) || errors.Is(err, redpacket.ErrEmpty)
}

// note counts the answer of one call.
func (w *worker) note(u int, p redpacket.Packet, err error) {
	switch {
	case err == nil:
		w.told = append(w.told, told{u, p})
	case errors.Is(err, redpacket.ErrAlreadyGrabbed):
		w.refused++
		w.found = append(w.found, told{u, p})
	case errors.Is(err, redpacket.ErrEmpty):
		w.empty++
	default:
		w.err = err
	}
}
