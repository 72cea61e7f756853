package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugRun is a script that runs under a [Debugger]. Call its methods only from a method of the
// Debugger, on the same goroutine. Only Done and Interrupt may be called by any goroutine.
type DebugRun struct {
	e        *Engine
	vm       *luabridge.VM   // that runs it
	state    luabridge.State // of vm before the first run
	loading  bool            // the text of a library runs
	held     *heldDebugger   // of the run in progress; nil: it is not debugged
	goesOn   bool            // a function of the library that is loaded is called next
	debugger Debugger        // that has seen the library being loaded, until the function is called
	rerun    *server.Rerun
	touched  []TouchedKey
	seen     int // number of the Rerun's changes that are in touched
	again    bool
	onEnd    func(Value)
	ending   *debugEnd
}

// Do runs a command at a stop, as redis.call would; it returns an error reply as a Value. Neither
// the Debugger nor the script is notified.
func (r *DebugRun) Do(args ...string) Value {
	if r.loading {
		return reply.Err("ERR Redis commands cannot be called while a library is loaded")
	}
	if len(args) == 0 {
		return reply.Err("ERR Please specify at least one argument for this redis lib call")
	}
	return r.e.scripts.Call(slices.Clone(args)).In(r.e.server.Run.Session.Proto)
}

// Loading reports whether the text of a library runs, as FUNCTION LOAD runs it, and no function of
// it. Redis commands cannot be called then.
func (r *DebugRun) Loading() bool { return r.loading }

// Touched returns the changes of keys that the run has made so far, in order, one entry for each
// keyspace event. FLUSHALL, FLUSHDB and SWAPDB change no single key and are not included.
func (r *DebugRun) Touched() []TouchedKey { return r.TouchedSince(0) }

// TouchedSince returns [DebugRun.Touched] without the first n entries.
func (r *DebugRun) TouchedSince(n int) []TouchedKey {
	r.seen = r.rerun.Changes(r.seen, func(ch *datastore.Change) {
		if ch.Class&(datastore.ClassNew|datastore.ClassGone) == 0 { // another event reports these
			r.touched = append(r.touched, TouchedKey{DB: ch.DB.ID(), Key: ch.Key, Event: ch.Event})
		}
	})
	return slices.Clone(r.touched[min(n, len(r.touched)):])
}

// TouchedKey is one change of a key.
type TouchedKey struct {
	DB  int // the number of the database
	Key string
	// Event is the name of the keyspace event: "set", "del", "expire"; "" for a change without an
	// event.
	Event string
}

// Done returns a channel that is closed when the script must end: the context of its call has
// ended, or the engine is being closed or shut down. A Debugger that stops the script must then
// release it with [Stack.Abort]; until then [Engine.Close] waits.
func (r *DebugRun) Done() <-chan struct{} { return r.ending.ch }

// OnEnd sets the function that the engine calls with the reply, on its own goroutine, when the
// script has ended and will not run again. A later OnEnd replaces the function, also in a later run
// of the script.
func (r *DebugRun) OnEnd(f func(Value)) { r.onEnd = f }

// Rewind makes the script run again when it has ended, from the state before it: its writes are
// undone, the time is the same, random choices are the same, and clients are not notified of what
// was undone. The reply is that of the last run. There is no further run once Done is closed.
//
// Two things differ in the next run: INFO counts its commands again, and tostring may return
// another address for a table ("table: 0x…"). Before the next run of a function its library is
// loaded again, so the locals of the library are as FUNCTION LOAD leaves them.
func (r *DebugRun) Rewind() { r.again = true }

// Interrupt ends the script, and any code that its debugger is evaluating, at the next step, with
// the error reply text. pcall does not catch it. Any goroutine may call it; it does nothing once
// the script has ended.
func (r *DebugRun) Interrupt(text string) {
	r.e.debugs.mu.Lock()
	defer r.e.debugs.mu.Unlock()
	if r.e.debugs.running == r.ending {
		r.ending.interrupted = true
		r.vm.Interrupt(text)
	}
}

// debugEnd notifies a debugger that its script must end. Engine.mu guards the fields after ch.
type debugEnd struct {
	request     *request // that runs the script
	ch          chan struct{}
	closed      bool
	interrupted bool // by DebugRun.Interrupt
}

// close is called under Engine.mu.
func (d *debugEnd) close() {
	if d != nil && !d.closed {
		d.closed = true
		close(d.ch)
	}
}

// debugs is who debugs the scripts of an engine.
type debugs struct {
	choosers []*chooser // functions that intercept scripts; the loop owns them

	mu      sync.Mutex // guards running
	running *debugEnd  // of the script that a debugger runs, or nil
}

// beginDebug notes that the script of d is about to run. The caller must call endDebug.
func (e *Engine) beginDebug(d *debugEnd) {
	e.debugs.mu.Lock()
	defer e.debugs.mu.Unlock()
	d.request = e.current
	e.debugs.running = d
	if e.closed.Load() || e.current != nil && e.current.abandoned.Load() {
		d.close()
	}
}

func (e *Engine) endDebug(vm *luabridge.VM) {
	e.debugs.mu.Lock()
	defer e.debugs.mu.Unlock()
	if e.debugs.running.interrupted {
		vm.ClearInterrupt() // if the script had ended just before
	}
	e.debugs.running = nil
}

// release notifies the debugger of the running script that the engine wants to end.
func (d *debugs) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running.close()
}

// debug runs a script under the Debugger that start returns, again for each Rewind. s is already
// its host.
func (s *scripts) debug(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool,
	start func(*DebugRun) Debugger) reply.Value {
	r := newDebugRun(s.e, s.vm)
	return r.runAll(c, start, func(again bool) reply.Value {
		if again {
			if errv := s.begin(c, "", script.Flags, readOnly); errv.IsError() {
				return errv // the same check has succeeded before
			}
		}
		return s.runPlain(script, keys, argv)
	})
}

func newDebugRun(e *Engine, vm *luabridge.VM) *DebugRun {
	return &DebugRun{e: e, vm: vm, state: vm.State(), ending: &debugEnd{ch: make(chan struct{})}}
}

// runAll calls run under the Debugger that start returns, again for each Rewind. It calls
// the function of OnEnd with the reply, unless a call of a function follows.
func (r *DebugRun) runAll(c *server.Ctx, start func(*DebugRun) Debugger, run func(again bool) reply.Value) (v reply.Value) {
	e := r.e
	r.rerun, r.seen = e.server.BeginRerun(c), 0
	e.beginDebug(r.ending)
	left := len(e.left)
	defer func() {
		r.vm.Debug(nil)
		if r.onEnd != nil && !(r.goesOn && !v.IsError()) {
			r.onEnd(v)
		}
		e.endDebug(r.vm)
		r.rerun.End()
	}()
	for again := false; ; again = true {
		r.held = nil
		if d := start(r); d != nil {
			r.held = &heldDebugger{d: d, e: e}
			r.vm.Debug(r.held)
		}
		v = run(again)
		r.vm.Debug(nil)
		if !r.again || r.mustEnd() {
			return v
		}
		r.again, r.touched, r.seen = false, r.touched[:0], 0
		e.left = e.left[:left]
		r.rerun.Undo()
		r.vm.SetState(r.state)
	}
}

// mustEnd reports whether Done is closed.
func (r *DebugRun) mustEnd() bool {
	select {
	case <-r.ending.ch:
		return true
	default:
		return false
	}
}

// heldDebugger measures how long a debugger stops a script, so that this time does not count as
// running time of the script.
type heldDebugger struct {
	d Debugger
	e *Engine
}

// heldFrom is the shortest duration of a call of a debugger that counts as a stop.
const heldFrom = time.Millisecond

// since ends a call of the debugger that began at start.
func (h *heldDebugger) since(start time.Time) {
	if held := time.Since(start); held >= heldFrom && h.e.watch.seen == h.e.watch.runs {
		h.e.watch.since = h.e.watch.since.Add(held)
	}
}

// Line implements Debugger, and so do the following methods.
func (h *heldDebugger) Line(s *Stack, line int) {
	defer h.since(time.Now())
	h.d.Line(s, line)
}

func (h *heldDebugger) Call(s *Stack, args []string) {
	defer h.since(time.Now())
	h.d.Call(s, args)
}

func (h *heldDebugger) Reply(s *Stack, args []string, v reply.Value) {
	defer h.since(time.Now())
	h.d.Reply(s, args, v)
}

func (h *heldDebugger) Raise(s *Stack, v LuaValue, caught bool) {
	defer h.since(time.Now())
	h.d.Raise(s, v, caught)
}

func (h *heldDebugger) Complain(s *Stack, text string) {
	defer h.since(time.Now())
	h.d.Complain(s, text)
}

func (h *heldDebugger) Breakpoint(s *Stack) bool {
	defer h.since(time.Now())
	return h.d.Breakpoint(s)
}

func (h *heldDebugger) Print(s *Stack, values []LuaValue) {
	defer h.since(time.Now())
	h.d.Print(s, values)
}

func (h *heldDebugger) Log(s *Stack, level int, text string) {
	defer h.since(time.Now())
	h.d.Log(s, level, text)
}
