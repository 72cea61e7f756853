package delayqueue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Bounds of what Run does if the server does not answer.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
	// settleTime is how long a consumer tries to settle a batch, unless the visibility timeout is
	// longer.
	settleTime = 10 * time.Second
	// graceTime is how long it tries after the context of Run has ended.
	graceTime = 5 * time.Second
)

// maxLook is the longest time between two looks for messages of vanished consumers, in ms.
const maxLook = 5000

// Run consumes the queue and blocks until ctx ends; then it returns the error of ctx. It finishes
// the batch in hand first, which takes as long as the handler needs, and up to 10 seconds more if
// the server does not answer. Each call of Run needs a consumer name of its own, among all
// processes. Several calls can run at the same time.
//
// If the server cannot be reached, Run retries without limit. It reports errors to Options.OnError
// and Logger. Run returns [engine.ErrClosed] if the engine or the client is closed, and
// [ErrConsumer] for an empty name.
//
// On a real server each consumer that waits for messages holds a connection, so the pool of the
// client must be larger than the number of consumers.
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
			q.report(err)
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
	look     int64  // server time in ms of the next look for messages of vanished consumers
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

// take takes the messages that are ready. If there are none, wait is the number of ms for which
// there is nothing to do but wait for new messages.
func (w *worker) take(ctx context.Context) (batch []*Delivery, wait int64, err error) {
	q := w.q
	r, err := takeScript.Run(ctx, q.c, []string{q.keys.ready, q.keys.delayed, q.keys.ids},
		[]string{group, w.name, strconv.Itoa(q.o.Batch), script.Millis(q.o.Visibility), script.Int(w.look), w.cursor})
	if err != nil {
		return nil, 0, err
	}
	now, due, entries := r.Int(0), r.Int(1), r.List(2)
	if r.Len() > 3 { // it has looked for messages of vanished consumers
		cursor, over, times := r.Text(3), r.List(4), r.List(5)
		if len(times) != len(over) {
			return nil, 0, r.Malformed("has %d entries taken over and %d counts", len(over), len(times))
		}
		w.cursor, w.look = cursor, now // the look continues
		if w.cursor == "0-0" {
			w.look = now + min(max(script.CeilMillis(q.o.Visibility)/4, 1), maxLook)
		}
		for i, entry := range over {
			batch = appendDelivery(batch, q.delivery(entry, r.IntOf(times[i])))
		}
	}
	for _, entry := range entries {
		batch = appendDelivery(batch, q.delivery(entry, 1))
	}
	if r.Err() != nil {
		return nil, 0, r.Err()
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

// block waits for messages for the given number of ms, 1 or more.
func (w *worker) block(ctx context.Context, wait int64) (batch []*Delivery, err error) {
	q := w.q
	v, err := q.c.DoStrings(ctx, "XREADGROUP", "GROUP", group, w.name, "COUNT", strconv.Itoa(q.o.Batch),
		"BLOCK", script.Int(wait), "STREAMS", q.keys.ready, ">")
	if err != nil {
		return nil, fmt.Errorf("delayqueue: wait: %w", err)
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

// handle calls the handler and carries out its decisions. since is the earliest time at which the
// messages may have been taken.
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

// call calls the handler. A panic becomes an error.
func (w *worker) call(ctx context.Context, batch []*Delivery, since time.Time) (err error) {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), since.Add(w.q.o.Visibility))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	// The handler may keep or change the slice.
	return w.handler(ctx, append([]*Delivery(nil), batch...))
}

// settle carries out decisions. While the server cannot be reached it retries, for a limited time;
// afterwards other consumers take the messages over.
func (w *worker) settle(ctx context.Context, batch []*Delivery) {
	q := w.q
	args := q.settlement(w.name, batch)
	keys := q.Keys()
	trying, cancel := graceful(ctx, max(settleTime, q.o.Visibility))
	defer cancel()
	for first := true; ; first = false {
		lost, err := q.count(trying, settleScript, keys, args)
		if err == nil {
			w.failures = 0
			if lost > 0 && first { // otherwise the attempt before may have settled them
				q.report(fmt.Errorf("%w: %d of %d", ErrTakenOver, lost, len(batch)))
			}
			return
		}
		q.report(err)
		if errors.Is(err, engine.ErrClosed) || trying.Err() != nil {
			return
		}
		w.pause(trying)
	}
}

// settlement is the arguments of settle.lua for the decisions.
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
			detail = script.Millis(d.after)
		case dead:
			detail = d.reason
		}
		args = append(args, d.entry, d.times, strconv.Itoa(d.Attempt), string(d.verdict), detail)
	}
	return args
}

// leave removes the consumer from the group.
func (w *worker) leave(ctx context.Context) {
	trying, cancel := graceful(ctx, graceTime)
	defer cancel()
	// If it fails, another consumer removes it later.
	_, _ = leaveScript.Run(trying, w.q.c, []string{w.q.keys.ready}, []string{group, w.name})
}

// graceful is a context that ends after limit, or graceTime after the end of ctx.
func graceful(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	trying, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(graceTime, cancel)
		context.AfterFunc(trying, func() { t.Stop() })
	})
	return trying, func() { stop(); cancel() }
}

// pause waits after a failure, longer after each failure in a row, or until ctx ends.
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

// firstLine is the text of an error without the stack of a panic.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
