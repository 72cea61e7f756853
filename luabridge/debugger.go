package luabridge

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Debugger is notified of what a script does; see [VM.Debug]. Its methods are called on the
// script's goroutine, and the script waits until they return. The [Stack] that they get may be read
// and changed until then, and no longer.
type Debugger interface {
	// Line is called before the script runs a line of its own text, as Lua's line hook is: when a
	// function begins, when a line begins, and when a jump goes back.
	Line(s *Stack, line int)
	// Call is called before redis.call or redis.pcall runs a command. args[0] is the command's
	// name.
	Call(s *Stack, args []string)
	// Reply is called with the reply of the command, marked with the protocol of the script; see
	// [reply.Value.In].
	Reply(s *Stack, args []string, v reply.Value)
	// Raise is called when an error with the value v is raised, while the failing function is still
	// on the stack. caught reports whether a pcall, xpcall or coroutine.resume of the script will
	// catch it. An order to stop is not an error.
	Raise(s *Stack, v Value, caught bool)
	// Complain is called when a function of the redis library makes an error of its own, which it
	// raises or returns: its arguments are wrong, or it is redis.error_reply. text is what the
	// function gives to Redis: without the code ERR, or with a dash and a code.
	Complain(s *Stack, text string)
	// Breakpoint is redis.breakpoint(), also in evaluated code. Its result is that of the function.
	Breakpoint(s *Stack) bool
	// Print is redis.debug(...), also in evaluated code, and print(...) in evaluated code.
	Print(s *Stack, values []Value)
	// Log is redis.log. level is 0 (debug) to 3 (warning).
	Log(s *Stack, level int, text string)
}

// Debug makes d the debugger of the scripts that are run from now on; nil: none. A debugged script
// runs the same code as others.
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

// follows reports whether the debugger is notified of the lines of a function. It is for functions
// of the script and, as in Redis, for those of texts that the script has loaded under a name that
// contains the script's.
func (vm *VM) follows(p *lua.FunctionProto) bool {
	if vm.script == nil {
		return false
	}
	o := vm.script.debug[p]
	if o == nil {
		o = vm.loaded[p]
	}
	return o != nil && strings.Contains(p.SourceName, chunkName)
}

// watcher returns the debugger that is to be notified of what the running code does. It is nil if
// there is none, or if the code is an evaluation of the debugger.
func (vm *VM) watcher() Debugger {
	if vm.debugger == nil || vm.evals > 0 {
		return nil
	}
	return vm.debugger
}

func (vm *VM) stackAt(L *lua.LState) *Stack { return &Stack{vm: vm, l: L} }

// debugCommand runs a command and notifies the debugger. The debugger may run other commands
// meanwhile, so args is copied for it.
func (vm *VM) debugCommand(L *lua.LState, d Debugger, args []string) reply.Value {
	args = slices.Clone(args)
	d.Call(vm.stackAt(L), args)
	vm.poll(L)
	v := vm.host.Call(slices.Clone(args))
	d.Reply(vm.stackAt(L), args, v.In(vm.convert.Proto))
	vm.poll(L)
	return v
}

// notifyRaise notifies the debugger of an error, once: coroutine.wrap raises the errors of its
// coroutine again.
func (vm *VM) notifyRaise(L *lua.LState, v lua.LValue) {
	again := vm.again
	vm.again = false
	if d := vm.watcher(); d != nil && !again && !vm.raising && !vm.stopped() && vm.script != nil {
		vm.raising = true
		defer func() { vm.raising = false }()
		d.Raise(vm.stackAt(L), vm.value(v), vm.catches(L))
	}
}

// catches reports whether something that the script has in progress will catch an error raised on
// L.
func (vm *VM) catches(L *lua.LState) bool {
	for {
		if slices.ContainsFunc(vm.guarded, func(g guard) bool { return g.thread == L }) {
			return true
		}
		if L.Parent == nil {
			for c := machine.Innermost(L); !c.IsZero(); c = c.Outer() {
				if c.Function() == vm.guardEntry { // a metamethod returns a field of an error table
					return true
				}
			}
			return false
		}
		resume := machine.Innermost(L.Parent).Function()
		if !resume.IsG || len(resume.Upvalues) == 0 {
			return true
		}
		L = L.Parent // a function of coroutine.wrap, which has an upvalue, passes the error on
	}
}

// complaint returns the error table for wrong arguments, and notifies the debugger.
func (vm *VM) complaint(L *lua.LState, text string) *lua.LTable {
	if d := vm.watcher(); d != nil {
		d.Complain(vm.stackAt(L), text)
		vm.poll(L)
	}
	return convert.ErrorTable("ERR "+text, false)
}

// redisBreakpoint is redis.breakpoint(). It returns false without a debugger.
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
