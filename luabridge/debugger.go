package luabridge

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Debugger is told what a script does while it is run; see [VM.Debug]. Its methods are called on the goroutine of the script, which
// stands still until they return. Meanwhile, and no longer, the [Stack] that they are given may be looked at and changed.
type Debugger interface {
	// Line tells that the script is about to run a line of its own text, as Lua's line hook does: a function begins, a line begins, or
	// a jump goes back to one.
	Line(s *Stack, line int)
	// Call tells that redis.call or redis.pcall is about to run a command, its name first.
	Call(s *Stack, args []string)
	// Reply tells what the command answered, marked with the protocol of the script; see [reply.Value.In].
	Reply(s *Stack, args []string, v reply.Value)
	// Raise tells that an error with the value v is raised, while what failed is still on the stack. caught: a pcall, xpcall or
	// coroutine.resume of the script will get it. An order to stop is none.
	Raise(s *Stack, v Value, caught bool)
	// Complain tells that a function of the redis library makes an error of its own, be it raised or returned: it has been given wrong arguments, or it is
	// redis.error_reply. text is what Redis's own functions make it of: without the code ERR, or with a dash and a code.
	Complain(s *Stack, text string)
	// Breakpoint is redis.breakpoint(), in evaluated code too; its result is what that gives.
	Breakpoint(s *Stack) bool
	// Print is redis.debug(...), in evaluated code too, and print(...) there.
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
	lines := &machine.Lines{Follows: vm.follows}
	lines.Reach = func(L *lua.LState, in *lua.FunctionProto, line int) {
		if vm.evals == 0 {
			d.Line(&Stack{vm: vm, l: L, line: line, begins: lines.Begins()}, line)
			vm.poll(L)
		}
	}
	vm.machine.Debug(lines)
}

// telling is the debugger that is to be told of what the running code does; nil where there is none, or the code is an evaluation of it.
func (vm *VM) telling() Debugger {
	if vm.debugger == nil || vm.evals > 0 {
		return nil
	}
	return vm.debugger
}

func (vm *VM) stackAt(L *lua.LState) *Stack { return &Stack{vm: vm, l: L} }

// debugCommand runs a command and tells of it. The debugger may run others meanwhile, so it gets arguments of its own.
func (vm *VM) debugCommand(L *lua.LState, d Debugger, args []string) reply.Value {
	args = slices.Clone(args)
	d.Call(vm.stackAt(L), args)
	vm.poll(L)
	v := vm.host.Call(slices.Clone(args))
	d.Reply(vm.stackAt(L), args, v.In(vm.proto))
	vm.poll(L)
	return v
}

// tellRaise tells of an error, once: coroutine.wrap raises those of its coroutine again.
func (vm *VM) tellRaise(L *lua.LState, v lua.LValue) {
	again := vm.again
	vm.again = false
	if d := vm.telling(); d != nil && !again && !vm.raising && !vm.stopped() && vm.script != nil {
		vm.raising = true
		defer func() { vm.raising = false }()
		d.Raise(vm.stackAt(L), vm.value(v), vm.catches(L))
	}
}

// catches reports whether the script has something in progress that will get an error that is raised on L.
func (vm *VM) catches(L *lua.LState) bool {
	for {
		if slices.ContainsFunc(vm.guarded, func(g guard) bool { return g.thread == L }) {
			return true
		}
		if L.Parent == nil {
			for c := machine.Innermost(L); !c.IsZero(); c = c.Outer() {
				if c.Function() == vm.guardEntry { // the fields of an error table are asked for
					return true
				}
			}
			return false
		}
		resume := machine.Innermost(L.Parent).Function()
		if !resume.IsG || len(resume.Upvalues) == 0 {
			return true
		}
		L = L.Parent // from the function that coroutine.wrap has made, which has the thread as an upvalue, it goes on
	}
}

// complaint is the table of an error about arguments.
func (vm *VM) complaint(L *lua.LState, text string) *lua.LTable {
	if d := vm.telling(); d != nil {
		d.Complain(vm.stackAt(L), text)
		vm.poll(L)
	}
	return errorTable("ERR "+text, false)
}

// redisBreakpoint is redis.breakpoint(): false without a debugger.
func (vm *VM) redisBreakpoint(L *lua.LState) int {
	stop := vm.debugger != nil && vm.debugger.Breakpoint(vm.stackAt(L))
	vm.poll(L)
	L.Push(lua.LBool(stop))
	return 1
}

// debugPrint is redis.debug with a debugger, and print in evaluated code.
func (vm *VM) debugPrint(L *lua.LState) int {
	values := make([]Value, L.GetTop())
	for i := range values {
		values[i] = vm.value(L.Get(i + 1))
	}
	vm.debugger.Print(vm.stackAt(L), values)
	vm.poll(L)
	return 0
}
