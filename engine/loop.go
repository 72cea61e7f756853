package engine

// The goroutines of an engine, and who may touch what:
//
//  1. The loop (one per engine, Engine.loop). Whoever runs it alone touches the keyspace, the
//     command server, the sessions' state and the Lua VM: its own goroutine or, for a turn, a
//     caller of RunTurn that has borrowed it. Engine.owner is held meanwhile; see turn.go. It never
//     waits for a caller: a command that waits (BLPOP) leaves a suspended call behind; see
//     waiting.go.
//  2. The callers (any number, not ours). They fill a request in, send it and wait. While the
//     loop has a request they touch nothing of it but its state word.
//  3. Pumps (one per session in process that has been sent a message, until the session ends). They
//     touch the session's inbox only, which the loop fills; see inbox.go.
//  4. Timers (keys that expire, time-outs of commands that wait, looking after clients). The clock
//     calls them; they send a request like any caller.
//  5. The maker (one per engine). It makes the requests; see requests.go.
//
// The program's own code runs on the loop too: View functions, loggers, clocks, random sources,
// debuggers and so on. A call of the engine from there could never be answered, so it is refused;
// see reentrant.go.
//
// The RESP server adds a poller, which calls RunTurn, and a goroutine for each connection that the
// poller cannot serve. Each of them is a caller.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// serving is what the loop serves now.
type serving struct {
	current *request
	taken   uint64   // requests taken
	running *request // whose batch runs, or has run and has not been answered
	turn    *turn    // the running turn; nil: none, or released
}

// loop takes requests until the stop request comes, then answers the remaining ones with ErrClosed.
func (e *Engine) loop() {
	defer close(e.stopped)
	e.owner.Lock()
	e.self.Store(goroutine.Self())
	defer e.self.Store(0) // the runtime reuses the goroutine's number
	if e.server.Persistence != nil {
		e.load()
	}
	if !e.takeDeferred() { // those that came during the load
		e.owner.Unlock()
		e.takeRequests()
	}
	e.timers.stop()
	e.watch.close()
	if image := e.server.RunningImage(); image != nil {
		image.Release()
	}
	e.server.MigrateSockets.CloseAll()
	e.endWaits()
	if e.server.Persistence != nil {
		e.endPersistence()
	}
	e.endInboxes()
	endReplication := e.replication.Close()
	for _, r := range e.watch.deferred {
		e.refuseClosed(r)
	}
	for e.inflight.Load() > 0 {
		select {
		case r := <-e.requests:
			e.refuseClosed(r)
		default:
			runtime.Gosched()
		}
	}
	endReplication()
	e.scripts.close()
	e.functions.close()
	e.free.close()
}

// takeRequests takes requests until the stop request comes. It returns with owner locked, so that
// an ended loop cannot be borrowed.
func (e *Engine) takeRequests() {
	for r := range e.requests {
		if !e.owner.TryLock() {
			e.first <- r // the borrower can serve it if its script is busy
			e.owner.Lock()
			select {
			case r = <-e.first:
			default:
				e.owner.Unlock()
				continue
			}
		}
		if e.takeNext(r) || len(e.watch.deferred) > 0 && e.takeDeferred() {
			return
		}
		e.owner.Unlock()
	}
}

// refuseClosed answers a request to a closed engine.
func (e *Engine) refuseClosed(r *request) {
	if r.kind == turnRequest {
		e.refuseTurn(r.turn, ErrClosed)
		return
	}
	if r.state.CompareAndSwap(pending, started) {
		r.err = ErrClosed
		r.end()
	}
}

// takeNext runs a request and the calls that can continue because of it. It reports whether the
// engine must stop.
func (e *Engine) takeNext(r *request) (stop bool) {
	e.taken++
	switch r.kind {
	case stopRequest:
		return true
	case turnRequest:
		return e.takeTurn(r.turn)
	}
	if err := e.failed(); err != nil {
		e.takeFailed(r, err)
		return false
	}
	if e.queued(r) {
		return false
	}
	e.take(r)
	for e.unsettled() {
		e.settle()
		e.broadcast()
	}
	if e.server.Persistence != nil {
		e.decide()
	}
	return false
}

// take runs a request and answers it, unless its command waits.
func (e *Engine) take(r *request) {
	if !r.state.CompareAndSwap(pending, started) {
		e.freeRequest(r) // withdrawn
		return
	}
	if e.serve(r) {
		e.answer(r)
	}
}

// answer returns a finished request to its caller.
func (e *Engine) answer(r *request) {
	if r.batch != nil {
		e.running = nil
	}
	e.armTimer() // before the caller goes on and moves a virtual clock
	if e.server.Persistence != nil && e.hold(r) {
		return
	}
	e.finishAnswer(r)
}

// finishAnswer returns a request that need not wait any more.
func (e *Engine) finishAnswer(r *request) {
	if r.batch != nil {
		r.batch.Loop.Answered++
	}
	r.end()
}

// serve runs one request. It reports whether the request is over. It is not over while a command of
// it waits.
func (e *Engine) serve(r *request) (over bool) {
	e.setNow()
	if r.cancellable {
		defer e.endCancellable(r)
	}
	e.current, over = r, true
	switch r.kind {
	case commandRequest:
		var p server.Program
		if r.script != nil {
			p = e.programOf(r)
		}
		v, w := e.execute(r.sess, r.args, p)
		switch r.reply = v; {
		case w == nil:
		case w.Handed() != nil:
			r.reply = errNoBatch
		default:
			e.suspend(r, w)
			over = false
		}
	case batchRequest:
		beginBatch(r.batch, e.server)
		over = e.runBatch(r)
	case resumeRequest:
		over = e.comeBack(r)
	case funcRequest, viewRequest, promptRequest:
		e.guard(r)
	}
	e.current = nil
	e.serveReady()
	if e.server.HasPendingWork() {
		e.server.EndRequest(r.sess)
	}
	if !e.unsettled() {
		e.broadcast()
	}
	return over
}

// broadcast sends the keys that have changed to the sessions that follow their prefix (CLIENT
// TRACKING BCAST).
func (e *Engine) broadcast() {
	if e.server.HasInvalidations() {
		e.server.Broadcast()
	}
}

// serveReady serves the commands that wait for keys which the last command, transaction or script
// has made ready.
func (e *Engine) serveReady() {
	if e.server.Ready() {
		if e.slept { // the waiters see the time at which the command ends
			e.server.Store.SetNow(e.clock.Now().UnixMicro())
		}
		e.server.ServeReady()
	}
}

// setNow sets the store's clock to the current time.
func (e *Engine) setNow() {
	now := e.clock.Now().UnixMicro()
	e.server.Store.SetNow(now)
	e.slept = false
	if now >= e.nextMark {
		e.turnBegins(now)
	}
}

// execute sends one command through the gate. A panic in a handler becomes the error reply of this
// one command; it is logged, and the engine goes on. A command that waits has a waiter for its
// reply.
//
// p is the script if args are an EVALSHA whose script the caller has found already, else nil.
func (e *Engine) execute(sess *server.Session, args []string, p server.Program) (v reply.Value, w *server.BlockedClient) {
	if len(args) == 0 {
		return reply.Err("ERR no command given"), nil
	}
	defer func() {
		if p := recover(); p != nil {
			v = e.panicked(p, args[0])
			e.server.Abandon()
			e.leaveScript()
		}
		if len(e.left) > 0 {
			e.reportLeft(v)
		}
	}()
	if p != nil {
		v = e.server.ExecuteProgram(sess, args, p)
	} else {
		v = e.server.Execute(sess, cmdtable.DoorClient, args)
	}
	return v, e.server.TakeBlocked()
}

func (e *Engine) guard(r *request) {
	defer func() {
		if p := recover(); p != nil {
			r.err = e.panicked(p, "view").Err()
		}
	}()
	r.fn()
}

// panicked logs a panic and returns the error reply for the command.
func (e *Engine) panicked(p any, what string) reply.Value {
	e.log.Error("redmoon: panic", "command", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return reply.Errorf("ERR internal error in '%s': %.200q", what, fmt.Sprint(p))
}

// timers are the wake-ups of the loop by the clock, and what depends on how the clock moves.
type timers struct {
	tick     timer
	expiring int64  // ns spent on removing keys since the last event for LATENCY
	looking  bool   // lookTick is scheduled
	slept    bool   // a command has advanced the clock since the store's clock was set
	stopLook func() // stops the timer of lookTick
	stopTrim func() // stops the timer of trimTick; nil: not armed
	stopIdle func() // stops the timer of socketTick; nil: not armed
	nextMark int64  // us since the epoch: when setNow must call turnBegins
	aging    *aging // nil: times to live follow the clock
}

// stop stops all timers.
func (t *timers) stop() {
	t.tick.cancel()
	if t.looking {
		t.stopLook()
	}
	if t.stopTrim != nil {
		t.stopTrim()
	}
	if t.stopIdle != nil {
		t.stopIdle()
	}
}

// timer is the pending wake-up for keys that expire. The loop alone touches it.
type timer struct {
	at   int64 // ms since the epoch; 0: none pending
	stop func()
}

// expireBatch is the number of keys that one cycle removes before other requests run.
const expireBatch = 1000

// expireSlice is the time in ns after which LATENCY records one expire cycle: a quarter of 100 ms,
// as in Redis.
const expireSlice = int64(25 * time.Millisecond)

// armTimer makes sure that a cycle runs when the next key expires.
func (e *Engine) armTimer() {
	next := e.server.Store.NextExpire()
	if next == 0 || e.tick.at != 0 && e.tick.at <= next {
		return
	}
	e.tick.cancel()
	e.tick.at = next
	wait := time.UnixMilli(next).Sub(e.clock.Now()) // Sub returns at most 292 years; expireTick then finds nothing and arms the timer again
	e.tick.stop = e.clock.AfterFunc(max(wait, 0), e.expireTick)
}

func (t *timer) cancel() {
	if t.stop != nil {
		t.stop()
	}
	t.at, t.stop = 0, nil
}

// evict is called by the clock if keys remain to be evicted.
func (e *Engine) evict() { e.onTime(func() { e.server.Evict() }) }

// expireTick is called by the clock. It returns when the expired keys have been removed.
func (e *Engine) expireTick() {
	for more := true; more; {
		run := e.onTime(func() {
			e.tick.at, e.tick.stop = 0, nil
			start := e.server.Owner.Monotonic()
			keys, fields := e.server.Store.Expired(), e.server.Store.ExpiredFields()
			more = e.server.ExpireCycle(expireBatch) == expireBatch
			e.server.Stats.ActiveKeys += e.server.Store.Expired() - keys
			e.server.Stats.ActiveFields += e.server.Store.ExpiredFields() - fields
			took := e.server.Owner.Monotonic() - start
			e.server.Stats.ExpireNanos += took
			if e.expiring += took; !more || e.expiring >= expireSlice {
				e.server.NoteLatency("expire-cycle", e.expiring)
				e.expiring = 0
			}
		})
		if !run {
			return // if keys are left, the timer is armed again
		}
	}
}
