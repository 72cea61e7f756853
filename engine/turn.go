package engine

import (
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// sessionCall is a call with its request. It implements [enginedoor.Pending].
type sessionCall struct {
	enginedoor.Call
	session *Session
	done    func()
	r       request
}

func newCall(s *Session, done func()) *enginedoor.Call {
	c := &sessionCall{session: s, done: done}
	c.Loop.Pending = c
	return &c.Call
}

// Submit prepares the call's request.
func (c *sessionCall) Submit() {
	r := &c.r
	r.call, r.sess, r.batch, r.fn, r.suspended, r.err = c, c.session.s, c.Batch, nil, nil, nil
	switch {
	case c.Close:
		r.kind, r.fn, r.sess, r.batch = promptRequest, c.endSession, nil, nil
	case c.Batch.Blocked:
		r.kind = resumeRequest
	default:
		r.kind = batchRequest
	}
	r.state.Store(pending)
	c.Err, c.Loop.Ended, c.Late = nil, false, false
}

// Take runs the call.
func (c *sessionCall) Take() { c.session.e.takeNext(&c.r) }

// TakeBusy answers the call while a script is busy.
func (c *sessionCall) TakeBusy() { c.session.e.takeBusy(&c.r) }

// Refuse ends the call with err.
func (c *sessionCall) Refuse(err error) {
	c.r.err = err
	c.end()
}

// endSession adds the batch's counters and ends the session.
func (c *sessionCall) endSession() {
	e := c.session.e
	if b := c.Batch; b != nil {
		beginBatch(b, e.server)
	}
	e.closeSession(c.session.s)
}

// end marks the call as ended, and calls done if RunTurn has returned.
func (c *sessionCall) end() {
	c.Err, c.Loop.Ended = c.r.err, true
	if c.Late {
		c.done()
	}
}

// turn is a list of calls that run one after the other.
type turn struct {
	calls    []*enginedoor.Call
	next     int
	released bool
	takeOver func()
	request  *request // the request that carries the turn to the loop; nil: RunTurn has borrowed the loop
}

// runTurn is RunTurn of [enginedoor.Engine]: a turn is a list of [enginedoor.Call].
func (e *Engine) runTurn(calls []*enginedoor.Call, takeOver func()) bool {
	for _, c := range calls {
		c.Loop.Pending.Submit()
	}
	e.inflight.Add(1)
	defer e.inflight.Add(-1)
	t := &turn{calls: calls, takeOver: takeOver}
	switch {
	case e.closed.Load():
		e.refuseTurn(t, ErrClosed)
		return true
	case e.reentrant():
		e.refuseTurn(t, ErrReentrant)
		return true
	case len(e.requests) == 0 && len(e.first) == 0 && e.owner.TryLock(): // no request came before
		loop := e.self.Swap(goroutine.Self())
		stop := e.takeTurn(t)
		e.self.Store(loop)
		e.owner.Unlock()
		if stop { // the loop must stop
			r := e.newRequest()
			r.kind = stopRequest
			e.requests <- r
		}
		return !t.released
	}
	r := e.newRequest()
	r.kind, r.turn, t.request = turnRequest, t, r
	e.requests <- r
	<-r.done
	e.freeRequest(r)
	return true
}

// takeTurn runs the calls of a turn and, with a borrowed loop, the requests that were deferred
// meanwhile. It reports whether the engine must stop.
func (e *Engine) takeTurn(t *turn) (stop bool) {
	e.turn = t
	for !t.released && t.next < len(t.calls) {
		c := t.calls[t.next]
		t.next++
		c.Loop.Pending.Take()
	}
	if t.request == nil && len(e.watch.deferred) > 0 {
		stop = e.takeDeferred() // still part of the turn: one of these may have a busy script that releases it
	}
	if !t.released {
		e.turn = nil
		e.endTurn(t)
	}
	return stop
}

// releaseTurn ends the running turn because one of its scripts is busy.
func (e *Engine) releaseTurn() {
	t := e.turn
	if t == nil {
		return
	}
	e.turn, t.released = nil, true
	e.takeTurnBusy(t)
	if t.request == nil {
		t.takeOver()
	}
}

// takeTurnBusy answers the rest of a turn while a script is busy.
func (e *Engine) takeTurnBusy(t *turn) {
	for ; t.next < len(t.calls); t.next++ {
		t.calls[t.next].Loop.Pending.TakeBusy()
	}
	e.endTurn(t)
}

// endTurn returns the calls to the caller of RunTurn, and marks those that have not ended as late.
func (e *Engine) endTurn(t *turn) {
	for _, c := range t.calls {
		c.Late = !c.Loop.Ended
	}
	if t.request != nil {
		t.request.done <- struct{}{}
	}
}

// refuseTurn ends all calls of a turn with err. None of them has run.
func (e *Engine) refuseTurn(t *turn, err error) {
	for _, c := range t.calls {
		c.Loop.Pending.Refuse(err)
	}
	e.endTurn(t)
}
