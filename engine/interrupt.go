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
	running *request // nil: nothing that may be stopped
	wrote   bool
	stopped bool
}

// beginInterruptible lets the caller of r stop it from now on, if r is a single EVAL or EVALSHA. In a batch or
// a transaction other commands may have written already.
func (e *Engine) beginInterruptible(r *request) {
	if r.kind != commandRequest || len(r.args) == 0 || len(r.args[0]) < 4 || !strings.EqualFold(r.args[0][:4], "eval") || r.sess.InMulti() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script = interruptible{running: r, stopped: r.abandoned}
	if r.abandoned && e.scripts.vm != nil {
		e.scripts.vm.Interrupt(interruptReason)
	}
}

// endInterruptible ends what beginInterruptible began.
func (e *Engine) endInterruptible(r *request) {
	e.mu.Lock()
	if e.script.running == r && e.script.stopped {
		if e.scripts.vm != nil {
			e.scripts.vm.ClearInterrupt() // where the script had ended just before
		}
		if r.reply.IsError() && r.reply.Text() == interruptReason {
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
	if e.script.running == r && !e.script.wrote {
		e.script.stopped = true
		if e.scripts.vm != nil {
			e.scripts.vm.Interrupt(interruptReason)
		}
	}
}

// setVM installs the Lua VM; a caller may have given up while it was being made.
func (e *Engine) setVM(vm *luabridge.VM) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scripts.vm = vm
	if e.script.stopped {
		vm.Interrupt(interruptReason)
	}
}
