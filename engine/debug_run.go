package engine

import (
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugRun is a script that is run under a debugger. Its methods are for the methods of the Debugger, on the goroutine on which those are called, but for
// Done and Interrupt, which are for any goroutine.
type DebugRun struct {
	e       *Engine
	rerun   *server.Rerun
	touched []TouchedKey
	seen    int // how many of the Rerun's changes are in touched
	again   bool
	onEnd   func(Value)
	ending  *debugEnd
}

// Do runs a command at a stop, as redis.call would; an error reply is a Value. Neither the Debugger nor the script are told of it.
func (r *DebugRun) Do(args ...string) Value {
	if len(args) == 0 {
		return reply.Err("ERR Please specify at least one argument for this redis lib call")
	}
	s := r.e.scripts
	return s.Call(slices.Clone(args)).In(s.sess.Proto)
}

// Touched are the keys that the run has changed so far, with the database of each, in the order of the changes, one for each event of the change feed. FLUSHALL, FLUSHDB and
// SWAPDB, which are about no key, are not told.
func (r *DebugRun) Touched() []TouchedKey { return r.TouchedSince(0) }

// TouchedSince is Touched without the first n.
func (r *DebugRun) TouchedSince(n int) []TouchedKey {
	r.seen = r.rerun.Changes(r.seen, func(ch *datastore.Change) {
		if ch.Class&(datastore.ClassNew|datastore.ClassGone) == 0 { // another event tells of these
			r.touched = append(r.touched, TouchedKey{ch.DB.ID(), ch.Key, ch.Event})
		}
	})
	return slices.Clone(r.touched[min(n, len(r.touched)):])
}

// TouchedKey is one change of a key.
type TouchedKey struct {
	DB         int
	Key, Event string // Event is what a keyspace notification calls it: "set", "del", "expire"; "" of a change that has none
}

// Done is closed when the script is to end: the context of its call has ended, or the engine is closed or shut down. A Debugger that holds the script
// lets go of it then, by [Stack.Abort]: until it does, [Engine.Close] waits.
func (r *DebugRun) Done() <-chan struct{} { return r.ending.ch }

// OnEnd has f called, on the engine's goroutine, when the script has ended and is not to be run once more, with its reply. It replaces what was set before, also
// in an earlier run of the script.
func (r *DebugRun) OnEnd(f func(Value)) { r.onEnd = f }

// Rewind makes the script, when it has ended, be run once more from the state before it: what it has written is undone, time stands where it stood, random choices
// are the same, and nobody is told of what was undone. The reply is that of the last run. Once Done is closed there is no further run.
//
// What a run cannot be spared: INFO counts its commands again, and a text such as "table: 0x…", which tostring makes of an address, differs.
func (r *DebugRun) Rewind() { r.again = true }

// Interrupt ends the script and what its debugger evaluates, wherever they are, with this error reply. No pcall catches it. It may be called from any goroutine; once the script has ended it does nothing.
func (r *DebugRun) Interrupt(text string) {
	r.e.mu.Lock()
	defer r.e.mu.Unlock()
	if r.e.debugged == r.ending {
		r.ending.interrupted = true
		r.e.scripts.vm.Interrupt(text)
	}
}

// debugEnd tells a debugger that its script is to end. Engine.mu guards what is behind ch.
type debugEnd struct {
	ch          chan struct{}
	told        bool
	interrupted bool // by DebugRun.Interrupt
}

// tell is called under Engine.mu.
func (d *debugEnd) tell() {
	if d != nil && !d.told {
		d.told = true
		close(d.ch)
	}
}

// beginDebug makes what tells the debugger of the script that is about to run to let go of it. endDebug must follow.
func (e *Engine) beginDebug() *debugEnd {
	d := &debugEnd{ch: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.debugged = d
	if e.closed.Load() || e.script.running != nil && e.script.running.abandoned {
		d.tell()
	}
	return d
}

func (e *Engine) endDebug() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.debugged.interrupted {
		e.scripts.vm.ClearInterrupt() // where the script had ended just before
	}
	e.debugged = nil
}

// letGo tells the debugger of the running script that the engine wants to end.
func (e *Engine) letGo() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.debugged.tell()
}

// debug runs a script, whose host s already is, under the Debugger that start gives, as often as that wants.
func (s *scripts) debug(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool, start func(*DebugRun) Debugger) (v reply.Value) {
	e := s.e
	r := &DebugRun{e: e, rerun: e.server.BeginRerun(c), ending: e.beginDebug()}
	state := s.vm.State()
	defer func() {
		s.vm.Debug(nil)
		if r.onEnd != nil {
			r.onEnd(v)
		}
		e.endDebug()
		r.rerun.End()
	}()
	for {
		if d := start(r); d != nil {
			s.vm.Debug(&heldDebugger{d: d, e: e})
		}
		e.enterScript(s.vm)
		v = s.vm.Run(s, script, keys, argv)
		e.leaveScript()
		s.vm.Debug(nil)
		if !r.again || r.mustEnd() {
			break
		}
		r.again, r.touched, r.seen = false, r.touched[:0], 0
		r.rerun.Undo()
		s.vm.SetState(state)
		if errv := s.begin(c, "", script.Flags, readOnly); errv.IsError() {
			v = errv // what has been checked before does not fail now
			break
		}
	}
	return v
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

// heldDebugger keeps the time for which a debugger holds a script from counting as time that the script runs.
type heldDebugger struct {
	d Debugger
	e *Engine
}

// heldFrom is from when on a call of a debugger counts as a stop.
const heldFrom = time.Millisecond

// since ends a call of the debugger that began at start.
func (h *heldDebugger) since(start time.Time) {
	if held := time.Since(start); held >= heldFrom && h.e.watch.seen == h.e.watch.runs {
		h.e.watch.since = h.e.watch.since.Add(held)
	}
}

// Line implements Debugger, and so do the other methods.
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
