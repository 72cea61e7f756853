package engine

import "github.com/redmoon-lua/redmoon/internal/base/goroutine"

// A server that reads many connections on one goroutine submits all calls that have arrived as one
// turn. They run in the order of the list, for the cost of one hand-over. An idle loop needs no
// hand-over: RunTurn borrows it and runs the calls on the caller's goroutine.

// Call is the request of one session in a turn; see [Engine.RunTurn]. Make it with
// [Session.NewCall]. It may be used again after it has ended.
type Call struct {
	// Batch is run as by [Session.RunBatch]. If Close is set, its commands are not run and only its
	// counters of bytes and reads are used; it may then be nil.
	Batch *Batch
	// Close ends the session, as [Session.Close] does.
	Close bool
	// Err is the error that RunBatch would return. It may be read after the call has ended.
	Err error

	session *Session
	done    func()
	r       request
	ended   bool // owned by the loop until the call ends
	late    bool
}

// NewCall returns a call of s for [Engine.RunTurn]. If the call ends after RunTurn has returned,
// the engine calls done on its own goroutine. done must not block or call the engine.
func (s *Session) NewCall(done func()) *Call { return &Call{session: s, done: done} }

// Late reports whether the call had not ended when RunTurn returned. The engine then owns the call
// and its batch until it calls done.
func (c *Call) Late() bool { return c.late }

// submit prepares the call's request.
func (c *Call) submit() {
	r := &c.r
	r.call, r.sess, r.batch, r.fn, r.suspended, r.err = c, c.session.s, c.Batch, nil, nil, nil
	switch {
	case c.Close:
		r.kind, r.fn, r.sess, r.batch = promptRequest, c.close, nil, nil
	case c.Batch.Blocked:
		r.kind = resumeRequest
	default:
		r.kind = batchRequest
	}
	r.state.Store(pending)
	c.Err, c.ended, c.late = nil, false, false
}

// close adds the batch's counters and ends the session.
func (c *Call) close() {
	e := c.session.e
	if b := c.Batch; b != nil {
		b.begin(e.server)
	}
	e.closeSession(c.session.s)
}

// end marks the call as ended, and calls done if RunTurn has returned.
func (c *Call) end() {
	c.Err, c.ended = c.r.err, true
	if c.late {
		c.done()
	}
}

// turn is a list of calls that run one after the other.
type turn struct {
	calls    []*Call
	next     int
	released bool
	takeOver func()
	request  *request // the request that carries the turn to the loop; nil: RunTurn has borrowed the loop
}

// RunTurn runs calls in order. It returns true when each of them has ended or waits, for example in
// BLPOP.
//
// A script of the turn may become busy: it has run for busy-reply-threshold. The calls after it are
// then answered as any request during a busy script. If RunTurn has borrowed the loop, its
// goroutine cannot serve others until the script ends, so RunTurn calls takeOver. takeOver must
// start another goroutine, which owns the calls from then on. RunTurn returns false when the script
// has ended, and its caller must not touch the calls.
//
// Call.Err is [ErrSessionClosed] if the session has ended, and [ErrClosed] after [Engine.Close].
func (e *Engine) RunTurn(calls []*Call, takeOver func()) bool {
	for _, c := range calls {
		c.submit()
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
		e.takeNext(&c.r)
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
		e.takeBusy(&t.calls[t.next].r)
	}
	e.endTurn(t)
}

// endTurn returns the calls to the caller of RunTurn, and marks those that have not ended as late.
func (e *Engine) endTurn(t *turn) {
	for _, c := range t.calls {
		c.late = !c.ended
	}
	if t.request != nil {
		t.request.done <- struct{}{}
	}
}

// refuseTurn ends all calls of a turn with err. None of them has run.
func (e *Engine) refuseTurn(t *turn, err error) {
	for _, c := range t.calls {
		c.r.err = err
		c.end()
	}
	e.endTurn(t)
}
