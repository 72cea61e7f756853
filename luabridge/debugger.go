package luabridge

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
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
func (vm *VM) Debug(d Debugger) { vm.debug.use(d) }

// debugging notifies a debugger of what the scripts of a VM do. It implements [redisapi.Watcher]
// and [redisapi.Console].
type debugging struct {
	vm       *VM
	debugger Debugger                // or nil
	raising  bool                    // the debugger is being notified of an error
	again    bool                    // the error being raised has been raised before
	threads  []*lua.LState           // the coroutines that the debugger has seen in this run
	compiled map[evalKey]*evaluation // the code that it has evaluated in this run
}

// use makes d the debugger; nil: none.
func (w *debugging) use(d Debugger) {
	vm := w.vm
	if w.debugger = d; d == nil {
		vm.redis.Watcher, vm.redis.Console = nil, nil
		vm.machine.Debug(nil)
		return
	}
	vm.redis.Watcher, vm.redis.Console = w, w
	lines := &machine.Lines{Follows: w.follows}
	lines.Reach = func(L *lua.LState, in *lua.FunctionProto, line int) {
		if w.vm.limits.Evals == 0 {
			d.Line(&Stack{vm: vm, l: L, line: line, begins: lines.Begins()}, line)
			vm.limits.Poll(L)
		}
	}
	vm.machine.Debug(lines)
}

// endRun drops what belongs to one run.
func (w *debugging) endRun() { w.threads, w.compiled = nil, nil }

// follows reports whether the debugger is notified of the lines of a function. It is for functions
// of the script and, as in Redis, for those of texts that the script has loaded under a name that
// contains the script's.
func (w *debugging) follows(p *lua.FunctionProto) bool {
	chunk := luatext.ScriptChunk
	if w.vm.opt.Functions {
		chunk = luatext.LibraryChunk
	}
	return w.vm.script != nil && w.vm.originOf(p) != nil && strings.Contains(p.SourceName, chunk)
}

func (w *debugging) stackAt(L *lua.LState) *Stack { return &Stack{vm: w.vm, l: L} }

// Call implements [redisapi.Watcher].
func (w *debugging) Call(L *lua.LState, args []string) { w.debugger.Call(w.stackAt(L), args) }

// Reply implements [redisapi.Watcher].
func (w *debugging) Reply(L *lua.LState, args []string, v reply.Value) {
	w.debugger.Reply(w.stackAt(L), args, v)
}

// Complain implements [redisapi.Watcher].
func (w *debugging) Complain(L *lua.LState, text string) { w.debugger.Complain(w.stackAt(L), text) }

// Log implements [redisapi.Watcher].
func (w *debugging) Log(L *lua.LState, level int, text string) {
	w.debugger.Log(w.stackAt(L), level, text)
}

// Breakpoint implements [redisapi.Console].
func (w *debugging) Breakpoint(L *lua.LState) bool { return w.debugger.Breakpoint(w.stackAt(L)) }

// Print implements [redisapi.Console].
func (w *debugging) Print(L *lua.LState) {
	values := make([]Value, L.GetTop())
	for i := range values {
		values[i] = w.vm.value(L.Get(i + 1))
	}
	w.debugger.Print(w.stackAt(L), values)
}

// raised notifies the debugger of an error, once: coroutine.wrap raises the errors of its coroutine
// again.
func (w *debugging) raised(L *lua.LState, v lua.LValue) {
	again := w.again
	w.again = false
	if w.debugger != nil && w.vm.limits.Evals == 0 && !again && !w.raising && w.vm.limits.Order() == nil && w.vm.script != nil {
		w.raising = true
		defer func() { w.raising = false }()
		w.debugger.Raise(w.stackAt(L), w.vm.value(v), w.vm.catches(L))
	}
}
