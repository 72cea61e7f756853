package engine

// The goroutines of an engine, and who may touch what:
//
//  1. The loop (one per engine, Engine.loop). It alone touches the keyspace, the command
//     server, the sessions' state and the Lua VM. It never waits for a caller.
//  2. The callers (any number, not ours). They fill a request in, send it and wait. While the
//     loop has a request they touch nothing of it but its state word.
//  3. Timers. The clock calls them; they send a request like any caller.
//
// The RESP server adds one goroutine per connection; each is a caller.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/redmoon-lua/redmoon/internal/command"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// loop takes requests until the stop request comes, then answers what is left with ErrClosed.
func (e *Engine) loop() {
	defer close(e.stopped)
	for r := range e.requests {
		if r.kind == stopRequest {
			break
		}
		if !r.state.CompareAndSwap(pending, started) {
			freeRequest(r) // withdrawn
			continue
		}
		e.serve(r)
		e.armTimer() // before the caller goes on and moves a virtual clock
		r.done <- struct{}{}
	}
	e.tick.cancel()
	for e.inflight.Load() > 0 {
		select {
		case r := <-e.requests:
			if r.state.CompareAndSwap(pending, started) {
				r.err = ErrClosed
				r.done <- struct{}{}
			}
		default:
			runtime.Gosched()
		}
	}
	e.scripts.close()
	e.functions.close()
}

// serve runs one request.
func (e *Engine) serve(r *request) {
	e.setNow()
	if r.cancellable {
		e.beginInterruptible(r)
		defer e.endInterruptible(r)
	}
	e.current = r
	switch r.kind {
	case commandRequest:
		if r.script != nil && !e.scripts.Exists(r.script.sha) {
			r.args[0], r.args[1] = "EVAL", r.script.source
		}
		r.reply = e.execute(r.sess, r.args)
	case batchRequest:
		e.runBatch(r.sess, r.batch)
	case funcRequest:
		e.guard(r)
	}
	e.current = nil
}

// setNow brings the store's clock up to the time.
func (e *Engine) setNow() {
	e.server.Store.SetNow(e.clock.Now().UnixMicro())
	e.slept = false
}

// execute sends one command through the gate. A panic in a handler becomes the error reply
// of this one command; it is logged, and the engine goes on.
func (e *Engine) execute(sess *command.Session, args []string) (v reply.Value) {
	if len(args) == 0 {
		return reply.Err("ERR no command given")
	}
	defer func() {
		if p := recover(); p != nil {
			v = e.panicked(p, args[0])
		}
	}()
	return e.server.Execute(sess, command.DoorClient, args)
}

func (e *Engine) guard(r *request) {
	defer func() {
		if p := recover(); p != nil {
			r.err = e.panicked(p, "view").Err()
		}
	}()
	r.fn()
}

func (e *Engine) panicked(p any, what string) reply.Value {
	e.log.Error("redmoon: panic", "command", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return reply.Errorf("ERR internal error in '%s': %.200q", what, fmt.Sprint(p))
}

// timer is the pending wake-up for keys that expire. The loop alone touches it.
type timer struct {
	at   int64 // ms since the epoch; 0: none pending
	stop func()
}

// expireBatch is how many keys one cycle removes before other requests get their turn.
const expireBatch = 1000

// armTimer makes sure that a cycle runs when the next key expires.
func (e *Engine) armTimer() {
	next := e.server.Store.NextExpire()
	if next == 0 || e.tick.at != 0 && e.tick.at <= next {
		return
	}
	e.tick.cancel()
	e.tick.at = next
	wait := time.Duration(next)*time.Millisecond - time.Duration(e.clock.Now().UnixNano())
	e.tick.stop = e.clock.AfterFunc(max(wait, 0), e.expireTick)
}

func (t *timer) cancel() {
	if t.stop != nil {
		t.stop()
	}
	t.at, t.stop = 0, nil
}

// expireTick is called by the clock. It returns when the due keys are gone.
func (e *Engine) expireTick() {
	for more := true; more; {
		r := newRequest()
		r.kind = funcRequest
		r.fn = func() {
			e.tick.at, e.tick.stop = 0, nil
			more = e.server.Store.ExpireCycle(expireBatch) == expireBatch
		}
		if e.roundTrip(noContext, r) != nil {
			return
		}
		freeRequest(r)
	}
}
