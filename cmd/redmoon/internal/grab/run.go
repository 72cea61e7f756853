package grab

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Run is one run, from its packets to its audit. Make it with [New].
type Run struct {
	o        Options
	activity *redpacket.Activity
	packets  []redpacket.Packet
	attempts int
	next     atomic.Int64 // the attempt that comes next; may go past attempts
	stopped  atomic.Bool
	workers  []*worker
	elapsed  time.Duration
}

// worker is one goroutine's share of a run.
type worker struct {
	run       *Run
	calls     *hdrhistogram.Histogram // latency of every call, ns
	told      []told                  // the grabs that succeeded
	found     []told                  // what users had, whose call before was given up
	refused   int64                   // calls of users who had a packet already
	empty     int64                   // calls that found no packet left
	cancelled int64                   // calls given up
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

// New prepares a run on r. It touches nothing on r; the options are checked.
func New(r engine.Runner, o Options) (*Run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	activity, err := redpacket.New(r, o.Activity)
	if err != nil {
		return nil, err
	}
	run := &Run{o: o, activity: activity, attempts: attempts(o.Users)}
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

// Keys are the keys that the run uses.
func (r *Run) Keys() []string { return r.activity.Keys() }

// Open loads the packets. It returns [redpacket.ErrExists] when the activity exists.
func (r *Run) Open(ctx context.Context) error { return r.activity.Open(ctx, r.packets) }

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
		id := userID(u)
		retry := false
		if w.run.o.Cancel {
			retry = w.giveUp(u, id)
			last = time.Now()
		}
		if !w.run.o.Cancel || retry {
			p, err := w.run.activity.Grab(ctx, id)
			now := time.Now()
			_ = w.calls.RecordValue(int64(min(now.Sub(last), longest)))
			last = now
			w.note(u, p, err, retry)
		}
		if w.err != nil {
			w.run.stopped.Store(true)
			return
		}
	}
}

// giveUp makes one call and cancels it, three times in four, at a random moment. It reports whether the
// call was given up, so that the user is to come again.
func (w *worker) giveUp(u int, id string) (again bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start := time.Now()
	if w.rnd.IntN(4) > 0 {
		timer := time.AfterFunc(time.Duration(w.rnd.Int64N(int64(200*time.Microsecond))), cancel)
		defer timer.Stop()
	}
	p, err := w.run.activity.Grab(ctx, id)
	if errors.Is(err, context.Canceled) {
		w.cancelled++
		return true
	}
	_ = w.calls.RecordValue(int64(min(time.Since(start), longest)))
	w.note(u, p, err, false)
	return false
}

// note counts the answer of one call; again says that it repeats one that was given up.
func (w *worker) note(u int, p redpacket.Packet, err error, again bool) {
	switch {
	case err == nil:
		w.told = append(w.told, told{u, p})
	case errors.Is(err, redpacket.ErrAlreadyGrabbed):
		w.refused++
		if again {
			w.found = append(w.found, told{u, p})
		}
	case errors.Is(err, redpacket.ErrEmpty):
		w.empty++
	default:
		w.err = err
	}
}
