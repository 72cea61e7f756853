package luabridge

import (
	"fmt"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/reply"
)

// Interrupt stops the running script. The script ends with the error line reason, which no pcall
// catches. If no script runs, it stops the next one, unless [VM.ClearInterrupt] is called before.
// It may be called from any goroutine.
//
// The VM checks for interrupts at each call, at each iteration of a loop, and in long library
// functions.
func (vm *VM) Interrupt(reason string) { vm.interrupt(&stopOrder{text: reason}) }

// Kill stops the running script, and no later one. Like other errors, the error line ends with the
// script and the line that it has reached. It must be called on the script's goroutine.
func (vm *VM) Kill(reason string) {
	vm.interrupt(&stopOrder{text: reason, placed: true, run: vm.current.Load()})
}

// End stops the running script, and no later one, with the error line reason. It must be called on
// the script's goroutine.
func (vm *VM) End(reason string) { vm.interrupt(&stopOrder{text: reason, run: vm.current.Load()}) }

func (vm *VM) interrupt(order *stopOrder) {
	vm.stop.Store(order)
	vm.attention.Store(true)
}

// endLater stops the current run, and no later one, if it lasts longer than d. The caller must call
// stop when the run is over. stop does not wait for a timer that has fired.
func (vm *VM) endLater(d time.Duration, reason string) (stop func()) {
	order := &stopOrder{text: reason, run: vm.current.Load()}
	return vm.after(d, func() {
		// The timer may fire late. A later run ignores this order, but an order that is already
		// stored may be for that run, so it is not replaced.
		if vm.stop.CompareAndSwap(nil, order) {
			vm.attention.Store(true)
		}
	})
}

// order returns the stop order for the current run, or nil.
func (vm *VM) order() *stopOrder {
	order := vm.stop.Load()
	if order != nil && order.run != 0 && order.run != vm.current.Load() {
		vm.stop.CompareAndSwap(order, nil)
		return nil
	}
	return order
}

// exceed stops the script that has exceeded a limit, or the evaluation if one runs.
func (vm *VM) exceed(order *stopOrder) {
	order.run = vm.current.Load()
	if order.eval = vm.debug.evals > 0; order.eval {
		vm.stop.CompareAndSwap(nil, order)
		vm.attention.Store(true)
		return
	}
	vm.interrupt(order)
}

// ClearInterrupt withdraws an Interrupt that has not stopped a script yet.
func (vm *VM) ClearInterrupt() { vm.stop.Store(nil) }

// stopOrder is an order to end a script.
type stopOrder struct {
	text   string
	placed bool   // the reply names the script and the line
	eval   bool   // only the evaluation of a debugger ends
	run    uint64 // the run to stop; 0: the run in progress, or the next one
}

// stopSwitch is how other goroutines reach a running script.
type stopSwitch struct {
	stop      atomic.Pointer[stopOrder] // nil: the script may go on
	current   atomic.Uint64             // number of the run in progress, or of the last one
	attention *atomic.Bool              // set after stop
}

func (vm *VM) stopped() bool { return vm.order() != nil }

// poll serves pending interrupts in long Go functions.
func (vm *VM) poll(L *lua.LState) {
	if vm.attention.Load() {
		vm.attend(L)
	}
}

// attend serves pending interrupts. It raises an error if the script must end.
func (vm *VM) attend(L *lua.LState) {
	vm.attention.Store(false)
	vm.mustRun(L)
	if vm.opt.Attend != nil {
		vm.opt.Attend()
		vm.mustRun(L)
	}
	vm.watchMemory(L)
}

// always is always set. The machine of a VM that counts steps calls back at each step.
var always = func() (b atomic.Bool) { b.Store(true); return }()

// step counts a step of the machine.
func (vm *VM) step(L *lua.LState) {
	vm.spend(L, 1)
	vm.poll(L)
}

// spend counts n steps if there is a limit.
func (vm *VM) spend(L *lua.LState, n int64) {
	if vm.opt.MaxSteps <= 0 {
		return
	}
	if vm.steps += n; vm.steps > vm.opt.MaxSteps && !vm.stopped() {
		vm.exceed(&stopOrder{text: fmt.Sprintf("ERR Script stopped: it takes more than %d steps", vm.opt.MaxSteps)})
	}
	vm.mustRun(L)
}

// worked counts n steps of library functions and checks for interrupts.
func (vm *VM) worked(L *lua.LState, n int64) {
	vm.spend(L, n)
	vm.poll(L)
}

// mustRun raises an error if the script must end. If a pcall catches the error, mustRun soon raises
// it again.
func (vm *VM) mustRun(L *lua.LState) {
	order := vm.order()
	if order == nil || order.eval && vm.debug.evals == 0 && vm.stop.CompareAndSwap(order, nil) {
		return
	}
	vm.attention.Store(true)
	if vm.line == 0 {
		vm.source, vm.line = vm.position(vm.L)
	}
	vm.raise(L, lua.LString("script killed"))
}

// stopReply returns the reply of a script that an order has ended. Libraries of functions keep
// their locals.
func (vm *VM) stopReply(order *stopOrder) reply.Value {
	if !vm.opt.Functions {
		vm.broken = true
	}
	text := order.text
	if order.placed {
		text = vm.placed(text)
	}
	return reply.Err(convert.OneLine(text))
}
