package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/reply"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// Debugger is told what a script does while it is run; see [VM.Debug]. Its methods are called on the goroutine of the script, which
// stands still until they return. Meanwhile, and no longer, the [Stack] that they are given may be looked at and changed.
type Debugger interface {
	// Line tells that the script is about to run a line of its own text, as Lua's line hook does: a function begins, a line begins, or
	// a jump goes back to one.
	Line(s *Stack, line int)
	// Call tells that redis.call or redis.pcall is about to run a command, its name first.
	Call(s *Stack, args []string)
	// Reply tells what the command answered.
	Reply(s *Stack, args []string, v reply.Value)
	// Raise tells that an error with the value v is raised, while what failed is still on the stack. caught: a pcall, xpcall or
	// coroutine.resume of the script will get it. An order to stop is none.
	Raise(s *Stack, v Value, caught bool)
	// Breakpoint is redis.breakpoint(); its result is what that gives.
	Breakpoint(s *Stack) bool
	// Print is redis.debug(...).
	Print(s *Stack, values []Value)
	// Log is redis.log; level is 0 (debug) to 3 (warning).
	Log(s *Stack, level int, text string)
}

// Debug makes scripts that are run from now on tell d what they do; nil: no longer. Those that are not debugged run the code that they
// would run if there were no debugger.
func (vm *VM) Debug(d Debugger) {
	if vm.debugger = d; d == nil {
		vm.machine.Debug(nil)
		return
	}
	vm.machine.Debug(&machine.Lines{
		Reach: func(L *lua.LState, in *lua.FunctionProto, line int) {
			if vm.script.debug[in] != nil {
				d.Line(&Stack{vm: vm, l: L}, line)
			}
		},
		Before: func(in *lua.FunctionProto, pc int) int {
			if o := vm.script.debug[in]; o != nil {
				return o.sites[pc].before
			}
			return 0
		},
	})
}
