package engine

import (
	"math"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// suspended is a call whose command waits (for example BLPOP). The loop owns it.
type suspended struct {
	w    *server.BlockedClient
	sess *server.Session
	// req is the request to answer. It is nil while a batch has returned early and its owner, who then
	// owns the batch, has not asked for the rest.
	req    *request
	batch  *enginedoor.Batch // the batch of the command, or nil
	ended  bool              // the wait has ended with reply; the rest of the call must run
	reply  reply.Value
	handed *server.HandedScript // instead of reply: a script that is to be debugged
	stop   func()               // the time-out, or nil
}

// heldSession is a session with a suspended call. Its other calls wait behind that.
type heldSession struct {
	call  *suspended
	queue []*request // pending, so their callers may still withdraw them
}

// waits are the suspended calls of an engine. The loop owns them.
type waits struct {
	calls map[*suspended]struct{} // calls whose wait has not ended
	held  map[*server.Session]*heldSession
	due   []*suspended      // calls that a pause has delayed, in order; they run after the running request
	woken []*suspended      // calls whose wait has ended, in order; they continue after the running request
	freed []*request        // calls of sessions that are no longer held, in order
	over  []*server.Session // sessions in process that must be closed after the running request
}

func newWaits() waits {
	return waits{calls: map[*suspended]struct{}{}, held: map[*server.Session]*heldSession{}}
}

// queued puts r behind the suspended call of its session, if there is one. Requests for the rest of
// a batch or with only the counters of a connection are not queued.
func (e *Engine) queued(r *request) bool {
	if r.sess == nil || !r.sess.Held || r.kind == resumeRequest || r.kind == batchRequest && len(r.batch.Commands) == 0 {
		return false
	}
	h := e.held[r.sess]
	if h == nil { // closed session
		e.turnAway(r, ErrSessionClosed)
		return true
	}
	h.queue = append(h.queue, r)
	return true
}

// suspend keeps the call of r, whose command has begun to wait.
func (e *Engine) suspend(r *request, w *server.BlockedClient) *suspended {
	c := &suspended{sess: r.sess, req: r, batch: r.batch}
	r.suspended = c
	e.calls[c] = struct{}{}
	if c.sess != e.shared {
		c.sess.Held = true
		if h := e.held[c.sess]; h != nil {
			h.call = c
		} else {
			e.held[c.sess] = &heldSession{call: c}
		}
	}
	e.await(c, w)
	return c
}

// await makes c continue when its wait w has ended.
func (e *Engine) await(c *suspended, w *server.BlockedClient) {
	c.w, c.stop = w, nil
	w.Done = func(v reply.Value) {
		if w.Postponed() {
			e.due = append(e.due, c)
			return
		}
		c.ended, c.reply = true, v
		e.woken = append(e.woken, c)
	}
	w.Rearm = func() { e.arm(c, w) }
	e.arm(c, w)
}

// arm sets the timer of c, which waits for w.
func (e *Engine) arm(c *suspended, w *server.BlockedClient) {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
	if due := w.Due(); due != 0 {
		micros := min(due, math.MaxInt64/2000)*1000 - e.server.Store.NowMicros()
		wait := time.Duration(min(max(micros, 0), math.MaxInt64/1000)) * time.Microsecond
		c.stop = e.afterTurn(wait, func() {
			e.onTime(func() { // a closed engine has answered already
				if w.Retry != 0 {
					e.setNow()
				}
				e.server.TimeOut(w)
			})
		})
	}
}

// afterTurn arranges that f is called once, when wait has passed since the time that this turn has
// read. A virtual clock may have moved since then.
func (e *Engine) afterTurn(wait time.Duration, f func()) (stop func()) {
	if c, ok := e.clock.(*VirtualClock); ok {
		return c.afterTime(time.UnixMicro(e.server.Store.NowMicros()), wait, f)
	}
	return e.clock.AfterFunc(wait, f)
}

// resumed is execute for a command that a pause has delayed.
func (e *Engine) resumed(held *server.BlockedClient) (v reply.Value, w *server.BlockedClient) {
	defer func() {
		if p := recover(); p != nil {
			v = e.panicked(p, "resumed")
			e.server.Abandon()
			e.leaveScript()
		}
		if len(e.left) > 0 {
			e.reportLeft(v)
		}
	}()
	v = e.server.Resume(held)
	return v, e.server.TakeBlocked()
}

// begin runs the command of c, which a pause has delayed. The command may wait again.
func (e *Engine) begin(c *suspended) {
	if _, ok := e.calls[c]; !ok || c.sess.CloseAfter {
		return // withdrawn or killed
	}
	if c.stop != nil {
		c.stop()
	}
	e.setNow()
	r := c.req
	if r != nil && r.cancellable {
		defer e.endCancellable(r)
	}
	e.current = r
	v, w := e.resumed(c.w)
	e.current = nil
	if r != nil {
		r.reply = v
	}
	switch {
	case w == nil:
		c.ended, c.reply = true, v
		e.woken = append(e.woken, c)
	case w.Handed() != nil:
		c.ended, c.handed = true, w.Handed()
		e.woken = append(e.woken, c)
	default:
		if v.Kind() != reply.KindNone && c.sess.Receive != nil {
			e.server.Deliver(c.sess, v, c.sess.Proto)
		}
		e.await(c, w)
	}
	e.serveReady()
}

// forget removes a call whose wait has ended or is about to end.
func (e *Engine) forget(c *suspended) {
	delete(e.calls, c)
	if c.stop != nil {
		c.stop()
	}
	if c.req != nil {
		c.req.suspended = nil
	}
}

// settle continues the calls whose wait has ended, and those behind them, until none is left.
func (e *Engine) settle() {
	for e.unsettled() {
		if len(e.over) > 0 {
			sess := e.over[0]
			e.over = e.over[1:]
			e.closeSession(sess)
			continue
		}
		if len(e.woken) == 0 && len(e.freed) == 0 {
			c := e.due[0]
			e.due = e.due[1:]
			e.begin(c)
			continue
		}
		if len(e.woken) > 0 {
			c := e.woken[0]
			e.woken = e.woken[1:]
			e.forget(c)
			if c.req != nil && e.resume(c, c.req) {
				e.answer(c.req)
			}
			continue
		}
		r := e.freed[0]
		e.freed = e.freed[1:]
		if !e.queued(r) {
			e.take(r)
		}
	}
	e.due, e.woken, e.freed, e.over = nil, nil, nil, nil
}

// unsettled reports whether settle has something to do.
func (e *Engine) unsettled() bool { return len(e.due)+len(e.woken)+len(e.freed)+len(e.over) > 0 }

// resume continues r, whose command has waited in c. It reports whether r is over.
func (e *Engine) resume(c *suspended, r *request) (over bool) {
	over = true
	switch {
	case r.batch == nil:
		r.reply = c.reply
	case c.handed != nil:
		r.batch.Blocked, r.batch.Debug = false, &enginedoor.DebugCall{HandedScript: c.handed, Proto: c.sess.Proto}
		endBatch(r.batch, e.server, c.sess)
	default:
		e.setNow()
		r.batch.Blocked = false
		addReply(r.batch, e.server, c.reply, c.sess)
		over = e.runBatch(r)
	}
	if h := e.held[c.sess]; h != nil && h.call == c {
		e.release(c.sess)
	}
	return over
}

// comeBack serves a request for the rest of a batch that had returned early.
func (e *Engine) comeBack(r *request) (over bool) {
	h := e.held[r.sess]
	if h == nil || h.call.batch != r.batch {
		r.err = ErrSessionClosed
		return true
	}
	r.batch.Replies, r.batch.Protos = r.batch.Replies[:0], r.batch.Protos[:0]
	c := h.call
	if c.ended {
		return e.resume(c, r)
	}
	c.req, r.suspended = r, c
	return false
}

// release continues the calls that wait behind a suspended one.
func (e *Engine) release(sess *server.Session) {
	if h := e.held[sess]; h != nil {
		sess.Held = false
		delete(e.held, sess)
		e.freed = append(e.freed, h.queue...)
	}
}

// withdraw ends the wait of a call whose caller has given up. It does nothing if the call has been
// answered.
func (e *Engine) withdraw(r *request) {
	c := r.suspended
	if c == nil || c.ended {
		return
	}
	e.server.Cancel(c.w)
	e.forget(c)
	e.release(c.sess)
	r.err = errInterrupted
	e.answer(r)
}

// closeSession ends a session. Its waiting call, the calls behind that, and all later ones get
// ErrSessionClosed: the session stays held without a suspended call. A session with a busy script
// ends when the script has ended.
func (e *Engine) closeSession(sess *server.Session) {
	if b := e.inboxes[sess]; b != nil {
		b.end(ErrSessionClosed)
		delete(e.inboxes, sess)
	}
	if e.server.Busy() != "" && sess == e.server.ScriptCaller() {
		r := e.newRequest()
		r.kind, r.fn = funcRequest, func() { e.closeSession(sess) }
		e.watch.deferred = append(e.watch.deferred, r)
		return
	}
	if h := e.held[sess]; h != nil {
		e.server.Cancel(h.call.w)
		e.forget(h.call)
		e.refuse(h, ErrSessionClosed)
		delete(e.held, sess)
	}
	sess.Held = true
	e.server.CloseSession(sess)
}

// refuse answers a suspended call and those behind it with err.
func (e *Engine) refuse(h *heldSession, err error) {
	if r := h.call.req; r != nil {
		r.err = err
		e.answer(r)
	}
	for _, r := range h.queue {
		e.turnAway(r, err)
	}
}

// turnAway answers a request that has not begun with err.
func (e *Engine) turnAway(r *request, err error) {
	if r.state.CompareAndSwap(pending, started) {
		r.err = err
		e.answer(r)
	} else {
		e.freeRequest(r)
	}
}

// endWaits answers all waiting calls with ErrClosed.
func (e *Engine) endWaits() {
	for _, h := range e.held {
		e.forget(h.call)
		e.refuse(h, ErrClosed)
	}
	for c := range e.calls {
		e.forget(c)
		c.req.err = ErrClosed
		e.answer(c.req)
	}
}
