package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/luabridge/internal/limits"
	"github.com/redmoon-lua/redmoon/reply"
)

// Interrupt stops the running script. The script ends with the error line reason, which no pcall
// catches. If no script runs, it stops the next one, unless [VM.ClearInterrupt] is called before.
// It may be called from any goroutine.
//
// The VM checks for interrupts at each call, at each iteration of a loop, and in long library
// functions.
func (vm *VM) Interrupt(reason string) { vm.limits.Interrupt(reason) }

// Kill stops the running script, and no later one. Like other errors, the error line ends with the
// script and the line that it has reached. It must be called on the script's goroutine.
func (vm *VM) Kill(reason string) { vm.limits.End(reason, true) }

// End stops the running script, and no later one, with the error line reason. It must be called on
// the script's goroutine.
func (vm *VM) End(reason string) { vm.limits.End(reason, false) }

// ClearInterrupt withdraws an Interrupt that has not stopped a script yet.
func (vm *VM) ClearInterrupt() { vm.limits.Clear() }

// kill raises the error of a script that must end, and notes where the script was.
func (vm *VM) kill(L *lua.LState) {
	if vm.line == 0 {
		vm.source, vm.line = vm.position(vm.L)
	}
	vm.raise(L, lua.LString("script killed"))
}

// stopReply returns the reply of a script that an order has ended. Libraries of functions keep
// their locals.
func (vm *VM) stopReply(order *limits.Order) reply.Value {
	if !vm.opt.Functions && vm.opt.tool == nil {
		vm.broken = true
	}
	text := order.Text
	if order.Placed {
		text = vm.placed(text)
	}
	return reply.Err(convert.OneLine(text))
}
