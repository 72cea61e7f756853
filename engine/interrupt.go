package engine

import (
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// interruptReason is the reply of a script that was stopped because its caller's context ended. The
// caller gets the context's error instead.
const interruptReason = "ERR Script stopped: the context of its call has ended"

// interruptible is the state that a caller and the loop share about a script that the caller's
// context may stop. A script may be stopped only while it has written nothing, and must not
// write any more once it has been stopped; mu makes the two exclude each other.
type interruptible struct {
	running *request       // nil: nothing that may be stopped
	vm      **luabridge.VM // what runs it; nil until it is needed
	wrote   bool
	stopped bool
}

// beginInterruptible lets the caller of r stop it from now on, if r is a single EVAL, EVALSHA or FCALL. In a batch or
// a transaction other commands may have written already.
func (e *Engine) beginInterruptible(r *request) {
	vm := e.vmFor(r)
	if vm == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script = interruptible{running: r, vm: vm, stopped: r.abandoned}
	if r.abandoned {
		e.script.stop()
	}
}

// vmFor is where the VM stands that will run r; nil when r is no single script or function.
func (e *Engine) vmFor(r *request) **luabridge.VM {
	if r.kind != commandRequest || len(r.args) == 0 || len(r.args[0]) < 4 || r.sess.InMulti() {
		return nil
	}
	switch name := r.args[0]; {
	case strings.EqualFold(name[:4], "eval"):
		return &e.scripts.vm
	case strings.EqualFold(name[:min(5, len(name))], "fcall"):
		return &e.functions.vm
	}
	return nil
}

// stop interrupts the VM, if there is one already.
func (s *interruptible) stop() {
	if *s.vm != nil {
		(*s.vm).Interrupt(interruptReason)
	}
}

// endInterruptible ends what beginInterruptible began.
func (e *Engine) endInterruptible(r *request) {
	e.mu.Lock()
	if e.script.running == r && e.script.stopped {
		if vm := *e.script.vm; vm != nil {
			vm.ClearInterrupt() // where the script had ended just before
		}
		if r.reply.IsError() && (strings.HasSuffix(r.reply.Text(), interruptReason) || r.debug != nil) {
			r.err = errInterrupted
		}
	}
	e.script = interruptible{}
	e.mu.Unlock()
}

// mayWrite is asked by the loop before a script of a cancellable call writes. After true the
// script cannot be stopped any more.
func (e *Engine) mayWrite() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script.wrote = true
	return !e.script.stopped
}

// interrupt is called by a caller whose context has ended: it stops the script that r runs, if
// that has written nothing yet.
func (e *Engine) interrupt(r *request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.abandoned = true
	if e.script.running == r {
		e.debugged.close()
	}
	if e.script.running == r && !e.script.wrote {
		e.script.stopped = true
		e.script.stop()
	}
}

// setVM puts a Lua VM into its place; a caller may have given up while it was being made.
func (e *Engine) setVM(place **luabridge.VM, vm *luabridge.VM) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*place = vm
	if e.script.stopped && e.script.vm == place {
		e.script.stop()
	}
}
