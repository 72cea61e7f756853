package engine

import (
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// While a script runs, the loop can serve nobody else. A timer asks the Lua VM for attention from
// time to time; the VM then calls attend, on the loop's goroutine, between two steps of the script.
// When the script has run for busy-reply-threshold, attend serves the requests that have come: what
// may not run then is answered BUSY.
//
// The timer is pending, or attention is asked for and has not been given yet; never both. So a
// script costs nothing when it begins and ends, and an idle engine is not woken up.

// The intervals of attend. The memory that a script allocates and frees within an interval is not
// seen.
const (
	attendEvery = 40 * time.Millisecond // by default
	attendLong  = 5 * time.Millisecond  // for a script that has run for longer than that, and for a library
	attendBusy  = time.Millisecond      // for a busy script, because other clients wait
)

// closeGrace is how long Close lets a script run if busy-reply-threshold is 0.
const closeGrace = 5 * time.Second

// maxServed bounds the requests that are served before a busy script goes on.
const maxServed = 1024

// watch is the state of the running script. The loop owns all fields except the atomic ones.
type watch struct {
	attention atomic.Bool                // attend must be called
	over      atomic.Pointer[scriptsEnd] // every script ends now; nil: none does
	overRun   uint64                     // number of the run that over has ended last
	timer     *time.Timer                // sets attention; nil until the first VM is made

	runs     uint64     // scripts begun
	running  stoppable  // the VM of the running script, or a compilation; nil: neither
	seen     uint64     // number of the run that attend has seen
	since    time.Time  // when attend first saw it, by the machine's clock
	deferred []*request // requests that came while a script was busy and wait for its end, in order
}

// enterScript is called before a script or function runs on vm.
func (s *scripting) enterScript(vm *luabridge.VM) {
	s.lastVM = vm
	s.watch.begin(vm)
}

// begin makes s the running script or compilation.
func (w *watch) begin(s stoppable) {
	w.runs++
	w.running = s
}

// leaveScript is called after the script has ended.
func (e *Engine) leaveScript() {
	e.watch.running = nil
	e.server.EndScript()
}

// newVM makes a Lua VM that calls attend while a script runs.
func (e *Engine) newVM(functions bool) *luabridge.VM {
	w := &e.watch
	if w.timer == nil {
		w.timer = time.AfterFunc(attendEvery, func() { w.attention.Store(true) })
	}
	return luabridge.New(luabridge.Options{
		Server: e.server.Follows.String(), Logger: e.log, Functions: functions,
		Attention: &w.attention, Attend: e.attend,
		MaxMemory: e.memory, MaxSteps: e.steps, HostMemory: e.server.Store.JournalSize,
		ShufflePairs: e.options.ShufflePairs,
	})
}

// defaultScriptMemory is 512 MB, the length of the longest string.
const defaultScriptMemory = 512 << 20

// scriptMemory returns the limit of a script's memory for the value of the option; 0: no limit.
func scriptMemory(option int64) int64 {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return option
	}
	return min(defaultScriptMemory, debug.SetMemoryLimit(-1)/4)
}

// close stops the timer. A late tick is harmless.
func (w *watch) close() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// attend is called by a VM between two steps of a script.
func (e *Engine) attend() {
	w := &e.watch
	next := attendLong
	if w.running != nil { // otherwise a library is being loaded
		next = e.lookAfterScript()
	}
	w.timer.Reset(next)
}

// lookAfterScript serves other clients if the running script is busy. It returns the time until the
// next call.
func (e *Engine) lookAfterScript() time.Duration {
	w := &e.watch
	if e.server.Run.Stop.Stopped() {
		w.running.End(server.StoppedByCaller)
	}
	if e.endIfOver() {
		return attendEvery
	}
	threshold := time.Duration(min(e.server.Config.Int("busy-reply-threshold"), int64(time.Hour/time.Millisecond)*24*365)) * time.Millisecond
	next := min(attendEvery, max(threshold, attendBusy))
	if threshold == 0 {
		next = attendEvery
	}
	now := time.Now()
	if w.seen != w.runs {
		w.seen, w.since = w.runs, now
		return next
	}
	next = min(next, attendLong)
	ran := now.Sub(w.since)
	if e.closed.Load() && ran >= min(threshold, closeGrace) && (threshold > 0 || ran >= closeGrace) {
		w.running.End(closedReason)
		return next
	}
	if threshold == 0 || ran < threshold {
		return next
	}
	if e.server.Busy() == "" {
		e.server.SetBusy()
		e.server.LogSlowScript(ran.Milliseconds())
	}
	e.serveBusy()
	return attendBusy
}

// closedReason is the reply of a script that Close has ended.
const closedReason = "ERR Script stopped: the engine is closed"

// scriptMillis returns for how long the running script has been seen to run.
func (s *scripting) scriptMillis() int64 { return time.Since(s.watch.since).Milliseconds() }

// serveBusy serves the requests that have come while a script is busy.
func (e *Engine) serveBusy() {
	e.releaseTurn()
	for range maxServed {
		r, ok := e.nextRequest()
		if !ok {
			return
		}
		e.takeBusy(r)
	}
}

// nextRequest returns the request that has waited longest.
func (m *mailbox) nextRequest() (r *request, ok bool) {
	select {
	case r = <-m.first:
		return r, true
	default:
	}
	select {
	case r = <-m.requests:
		return r, true
	default:
		return nil, false
	}
}

// takeBusy serves a request while a script is busy, or defers it until the script has ended.
func (e *Engine) takeBusy(r *request) {
	if r.kind == turnRequest {
		e.takeTurnBusy(r.turn)
		return
	}
	if r.kind != stopRequest && e.queued(r) {
		return
	}
	if !e.servedBusy(r) {
		e.watch.deferred = append(e.watch.deferred, r)
		return
	}
	if !r.state.CompareAndSwap(pending, started) {
		e.freeRequest(r) // withdrawn
		return
	}
	before, running := e.current, e.running
	e.current = r
	switch r.kind {
	case commandRequest:
		r.reply = e.executeBusy(r.sess, r.args)
	case batchRequest:
		e.runBatchBusy(r)
	case viewRequest:
		r.err = e.unavailable()
	case promptRequest:
		e.guard(r)
	}
	e.current = before
	e.answer(r)
	e.running = running
}

// servedBusy reports whether r is served while a script is busy. Commands of the session that runs
// the script wait, and so do requests of the engine itself.
func (e *Engine) servedBusy(r *request) bool {
	switch r.kind {
	case commandRequest, batchRequest:
		return r.sess == e.shared || r.sess != e.server.ScriptCaller() && (e.current == nil || r.sess != e.current.sess)
	case viewRequest, promptRequest:
		return true
	}
	return false
}

// executeBusy is execute while a script is busy.
func (e *Engine) executeBusy(sess *server.Session, args []string) (v reply.Value) {
	if len(args) == 0 {
		return reply.Err("ERR no command given")
	}
	defer func() {
		if p := recover(); p != nil {
			v = e.panicked(p, args[0])
		}
	}()
	return e.server.ExecuteBusy(sess, args)
}

// runBatchBusy is runBatch while a script is busy. No command of the batch waits.
func (e *Engine) runBatchBusy(r *request) {
	sess, b := r.sess, r.batch
	e.running = r
	beginBatch(b, e.server)
	for _, args := range b.Commands {
		if sess.CloseAfter {
			break
		}
		addReply(b, e.server, e.executeBusy(sess, args), sess)
	}
	endBatch(b, e.server, sess)
}

// takeDeferred takes the requests that were deferred while a script was busy. It reports whether
// the engine must stop.
func (e *Engine) takeDeferred() (stop bool) {
	for len(e.watch.deferred) > 0 {
		r := e.watch.deferred[0]
		if e.watch.deferred = e.watch.deferred[1:]; len(e.watch.deferred) == 0 {
			e.watch.deferred = nil
		}
		if e.takeNext(r) {
			return true
		}
	}
	return false
}
