package delayqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Bounds of what Run does when the server does not answer.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
	// settleTime is how long a consumer tries to settle a batch, unless the visibility time-out is longer.
	settleTime = 10 * time.Second
	// graceTime is how long it tries after it was told to stop.
	graceTime = 5 * time.Second
)

// maxLook is the longest time between two looks for messages whose consumers have vanished, in ms.
const maxLook = 5000

// Run consumes the queue under a name that no other consumer has, until ctx ends, and returns the error of ctx then; that may take a second,
// and as long as the handler takes for the batch in hand. When the server cannot be reached it tries again after a while, for ever; what
// goes wrong is told by Options.OnError and Logger. It returns [engine.ErrClosed] when the engine or the client is closed, and [ErrConsumer] for an empty name.
//
// On a real server each consumer holds a connection while it waits: the client's pool must be larger than the number of consumers.
func (q *Queue) Run(ctx context.Context, consumer string, h Handler) error {
	if consumer == "" {
		return ErrConsumer
	}
	w := &worker{q: q, name: consumer, handler: h, cursor: "0-0"}
	for ctx.Err() == nil {
		since := time.Now()
		batch, err := w.next(ctx)
		switch {
		case err == nil:
			w.failures = 0
			w.handle(ctx, batch, since)
			continue
		case errors.Is(err, engine.ErrClosed):
			return err
		case ctx.Err() == nil:
			q.report(fmt.Errorf("delayqueue: take: %w", err))
			w.pause(ctx)
		}
	}
	w.leave(ctx)
	return ctx.Err()
}

// worker is one call of Run.
type worker struct {
	q        *Queue
	name     string
	handler  Handler
	failures int    // in a row
	look     int64  // server time in ms of the next look for messages of consumers that have vanished
	cursor   string // where the last look ended
}

// next takes a batch, or waits for one; it may be empty.
func (w *worker) next(ctx context.Context) ([]*Delivery, error) {
	batch, wait, err := w.take(ctx)
	if err != nil || len(batch) > 0 || wait == 0 || ctx.Err() != nil {
		return batch, err
	}
	return w.block(ctx, wait)
}

// take takes what there is. wait tells for how many ms there is nothing else to do than to wait for new messages.
func (w *worker) take(ctx context.Context) (batch []*Delivery, wait int64, err error) {
	q := w.q
	v, err := q.c.RunScript(ctx, takeScript, []string{q.keys.Ready, q.keys.Delayed, q.keys.IDs},
		[]string{group, w.name, strconv.Itoa(q.o.Batch), millis(q.o.Visibility), strconv.FormatInt(w.look, 10), w.cursor})
	if err != nil {
		return nil, 0, err
	}
	list := v.Slice()
	if len(list) != 3 && len(list) != 6 {
		return nil, 0, fmt.Errorf("unexpected reply of %d parts", len(list))
	}
	now, due := list[0].Int(), list[1].Int()
	if len(list) == 6 { // it has looked
		w.cursor, w.look = list[3].Text(), now // the look goes on
		if w.cursor == "0-0" {
			w.look = now + min(max(ceilMillis(w.q.o.Visibility)/4, 1), maxLook)
		}
		times := list[5].Slice()
		for i, entry := range list[4].Slice() {
			batch = appendDelivery(batch, q.delivery(entry, times[i].Int()))
		}
	}
	for _, entry := range list[2].Slice() {
		batch = appendDelivery(batch, q.delivery(entry, 1))
	}
	wait = min(blockMillis, max(0, w.look-now))
	if due >= 0 {
		wait = min(wait, due)
	}
	return batch, wait, nil
}

func appendDelivery(batch []*Delivery, d *Delivery) []*Delivery {
	if d == nil {
		return batch
	}
	return append(batch, d)
}

// block waits for messages for so many ms, 1 or more.
func (w *worker) block(ctx context.Context, wait int64) (batch []*Delivery, err error) {
	q := w.q
	v, err := q.c.DoStrings(ctx, "XREADGROUP", "GROUP", group, w.name, "COUNT", strconv.Itoa(q.o.Batch),
		"BLOCK", strconv.FormatInt(wait, 10), "STREAMS", q.keys.Ready, ">")
	if err != nil {
		return nil, err
	}
	streams := v.Slice() // in RESP3 a map: key, entries; in RESP2 a list of pairs
	if v.Kind() != engine.KindMap && len(streams) > 0 {
		streams = streams[0].Slice()
	}
	if len(streams) < 2 {
		return nil, nil
	}
	for _, entry := range streams[1].Slice() {
		batch = appendDelivery(batch, q.delivery(entry, 1))
	}
	return batch, nil
}

// handle lets the handler decide, and does what it has decided. since is when the messages were taken, at the earliest.
func (w *worker) handle(ctx context.Context, batch []*Delivery, since time.Time) {
	if len(batch) == 0 {
		return
	}
	var open []*Delivery
	for _, d := range batch {
		if d.verdict == undecided {
			open = append(open, d)
		}
	}
	var err error
	if len(open) > 0 {
		err = w.call(ctx, open, since)
	}
	reason := ""
	if err != nil {
		w.q.report(fmt.Errorf("delayqueue: handler: %w", err))
		reason = ": " + firstLine(err)
	}
	for _, d := range open {
		if d.verdict == undecided && err == nil {
			d.Commit()
		}
		if d.verdict == undecided {
			d.Retry(Backoff)
		}
		if d.verdict == retry {
			if m := w.q.o.MaxAttempts; m > 0 && d.Attempt >= m {
				d.Dead("attempts exhausted" + reason)
			} else if d.after < 0 {
				d.after = max(0, w.q.o.Backoff(d.Attempt))
			}
		}
	}
	w.settle(ctx, batch)
}

// call calls the handler. A panic of it is an error.
func (w *worker) call(ctx context.Context, batch []*Delivery, since time.Time) (err error) {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), since.Add(w.q.o.Visibility))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	// The handler may keep or change its slice.
	return w.handler(ctx, append([]*Delivery(nil), batch...))
}

// settle does what was decided, and tries again while the server cannot be reached, but not for ever: the messages are taken over then.
func (w *worker) settle(ctx context.Context, batch []*Delivery) {
	q := w.q
	args := q.settlement(w.name, batch)
	keys := []string{q.keys.Ready, q.keys.Delayed, q.keys.IDs, q.keys.Dead, q.keys.Meta}
	trying, cancel := graceful(ctx, max(settleTime, q.o.Visibility))
	defer cancel()
	for first := true; ; first = false {
		v, err := q.c.RunScript(trying, settleScript, keys, args)
		if err == nil {
			w.failures = 0
			if lost := v.Int(); lost > 0 && first { // else the try before may have been the one that settled them
				q.report(fmt.Errorf("%w: %d of %d", ErrTakenOver, lost, len(batch)))
			}
			return
		}
		q.report(fmt.Errorf("delayqueue: settle: %w", err))
		if errors.Is(err, engine.ErrClosed) || trying.Err() != nil {
			return
		}
		w.pause(trying)
	}
}

// settlement is the arguments of settle.lua that say what was decided.
func (q *Queue) settlement(consumer string, batch []*Delivery) []string {
	commits := 0
	for _, d := range batch {
		if d.verdict == commit {
			commits++
		}
	}
	args := make([]string, 0, 4+5*len(batch))
	args = append(args, group, consumer, q.retention(), strconv.Itoa(commits))
	for _, d := range batch {
		if d.verdict == commit {
			args = append(args, d.entry)
		}
	}
	for _, d := range batch {
		if d.verdict == commit {
			args = append(args, "", d.ID)
		}
	}
	for _, d := range batch {
		detail := ""
		switch d.verdict {
		case commit:
			continue
		case retry:
			detail = millis(d.after)
		case dead:
			detail = d.reason
		}
		args = append(args, d.entry, d.times, strconv.Itoa(d.Attempt), string(d.verdict), detail)
	}
	return args
}

// leave takes the consumer off the list.
func (w *worker) leave(ctx context.Context) {
	trying, cancel := graceful(ctx, graceTime)
	defer cancel()
	// If it fails, somebody else takes it off later.
	_, _ = w.q.c.RunScript(trying, leaveScript, []string{w.q.keys.Ready}, []string{group, w.name})
}

// graceful is a context that ends after limit, and graceTime after ctx.
func graceful(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	trying, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(graceTime, cancel)
		context.AfterFunc(trying, func() { t.Stop() })
	})
	return trying, func() { stop(); cancel() }
}

// pause waits after a failure, longer from one to the next, or until ctx ends.
func (w *worker) pause(ctx context.Context) {
	d := min(firstPause<<min(w.failures, 16), lastPause)
	w.failures++
	t := time.NewTimer(d - rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// firstLine is an error's text without the stack of a panic.
func firstLine(err error) string {
	text := err.Error()
	for i, c := range text {
		if c == '\n' {
			return text[:i]
		}
	}
	return text
}
