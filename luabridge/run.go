package luabridge

import (
	"fmt"
	"runtime/debug"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Run calls the script with KEYS and ARGV and returns its reply; an error of the script is an error
// reply with Redis's text. keys and argv may be used again when it returns.
func (vm *VM) Run(h Host, s *Script, keys, argv []string) reply.Value {
	if s.gen != vm.gen {
		s.fn, s.gen = vm.L.NewFunctionFromProto(s.proto), vm.gen
	}
	shown := vm.debugger != nil // a debugger may show what the script does not look at
	if (s.keys || shown) && vm.keys.give(&vm.boxes, vm.env, "KEYS", keys, s.escapes || shown) {
		vm.machine.ForgetGlobals()
	}
	if (s.argv || shown) && vm.argv.give(&vm.boxes, vm.env, "ARGV", argv, s.escapes || shown) {
		vm.machine.ForgetGlobals()
	}
	v := vm.run(h, s)
	vm.loaded = nil
	vm.keys.release()
	vm.argv.release()
	if vm.broken || machine.Room(vm.L) > keptRoom {
		vm.rebuild()
	}
	return v
}

// run calls the function of s, whose arguments are in vm.given.
func (vm *VM) run(h Host, s *Script) (v reply.Value) {
	vm.host, vm.script, vm.proto, vm.line = h, s, 2, 0
	L := vm.L
	vm.meter.newRun()
	vm.current.Add(1)
	if vm.making != nil {
		defer vm.endLater(loadTime, "ERR FUNCTION LOAD timeout")()
	}
	vm.steps = 0
	vm.budget.Reset()
	vm.machine.Unwind(machine.Nesting{})
	L.Push(vm.entry)
	if err := L.PCall(0, 0, nil); err == nil {
		v = vm.reply
		L.SetTop(0)
	} else {
		v = vm.failure(err)
	}
	if order := vm.stop.Load(); order != nil && order.run != 0 { // the order has come too late
		vm.stop.CompareAndSwap(order, nil)
	}
	vm.host, vm.script, vm.threads, vm.compiled, vm.reply = nil, nil, nil, nil, reply.Value{}
	vm.cursor.Forget()
	vm.machine.Forget()
	return v
}

// enter is the frame below a script: it puts our error hook in place of gopher-lua's, which
// would write a stack trace for every error.
func (vm *VM) enter(L *lua.LState) int {
	defer convertPanic()
	L.Panic = vm.onErrorFn
	L.Push(vm.main())
	for _, v := range vm.given {
		L.Push(v)
	}
	L.Call(len(vm.given), 1)
	vm.reply = vm.result(L, L.Get(-1))
	return 0
}

// enterGuarded is enter for a pcall: the callee and its arguments are on the stack.
func (vm *VM) enterGuarded(L *lua.LState) int {
	defer convertPanic()
	L.Panic = vm.onErrorFn
	L.Call(L.GetTop()-1, lua.MultRet)
	return L.GetTop()
}

// noTrace as a stack trace keeps gopher-lua from writing one.
const noTrace = "-"

// onError is called with the error value on the stack, the failing frame still there.
func (vm *VM) onError(L *lua.LState) {
	v := L.Get(-1)
	if text, ok := v.(lua.LString); ok && !vm.ours {
		v = lua.LString(translate(string(text)))
	}
	vm.ours = false
	if vm.debugger != nil {
		vm.tellRaise(L, v)
	}
	vm.failed = vm.machine.Nesting()
	if L == vm.L && vm.making == nil {
		vm.note(L, v)
	} else if n := len(vm.guarded) - 1; n >= 0 && vm.guarded[n].noting && vm.guarded[n].thread == L {
		vm.guarded[n].source, vm.guarded[n].line = vm.position(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: v, StackTrace: noTrace})
}

// position says where Redis's error handler would look: the function that raised the error,
// or its caller when that is a C function; line 0 when nobody called that.
func (vm *VM) position(L *lua.LState) (source string, line int) {
	for level := range 2 {
		dbg, ok := L.GetStack(level)
		if !ok {
			break
		}
		if fn, _ := frameOf(dbg); fn == vm.entry {
			return "", 0
		}
		if _, err := L.GetInfo("Sl", dbg, lua.LNil); err == nil && dbg.CurrentLine > 0 {
			return vm.chunkOf(dbg), dbg.CurrentLine
		}
	}
	return "=[C]", -1
}

// goPanic is a panic of Go code on its way out of the VM; pcall lets it pass.
type goPanic struct {
	value any
	stack []byte
}

func (p *goPanic) Error() string { return fmt.Sprint(p.value) }

// overflow is how gopher-lua says that the call stack is full.
const overflow = "lua callstack overflow"

func convertPanic() {
	switch r := recover().(type) {
	case nil:
	case *lua.ApiError:
		panic(r)
	default:
		if r == overflow {
			panic(&lua.ApiError{Type: lua.ApiErrorError, Object: lua.LString("stack overflow"), StackTrace: noTrace})
		}
		panic(&lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString("panic"), StackTrace: noTrace,
			Cause: &goPanic{r, debug.Stack()}})
	}
}

// failure turns what ended the script into its error reply.
func (vm *VM) failure(err error) reply.Value {
	if stop := vm.order(); stop != nil {
		vm.ClearInterrupt()
		return vm.stopReply(stop)
	}
	if problem := vm.noteBroken(err); problem != "" {
		return reply.Errorf("ERR %s", oneLine(problem))
	}
	v := vm.failureReply(err.(*lua.ApiError).Object)
	if stop := vm.order(); stop != nil { // while a metamethod was asked for the text
		vm.ClearInterrupt()
		return vm.stopReply(stop)
	}
	return v
}

// noteBroken marks the state as broken by the abnormal ends. What it returns is how the end of a bug is worded, or "".
func (vm *VM) noteBroken(err error) (problem string) {
	e, ok := err.(*lua.ApiError)
	switch {
	case !ok:
		vm.broken = true
		return err.Error()
	case e.Type == lua.ApiErrorError:
		vm.broken = true
	case e.Type == lua.ApiErrorPanic:
		vm.broken = true
		stack := ""
		if p, ok := e.Cause.(*goPanic); ok {
			stack = string(p.stack)
			err = p
		}
		vm.opt.Logger.Error("luabridge: panic in a script", "script", vm.script.SHA, "panic", err.Error(), "stack", stack)
		return "internal error in script: " + err.Error()
	}
	return ""
}

// failureReply is the error reply of a script that ended with an error value.
func (vm *VM) failureReply(value lua.LValue) reply.Value {
	tb, ok := value.(*lua.LTable)
	if !ok {
		return reply.Err(oneLine(vm.placed(cString("ERR " + vm.text(value)))))
	}
	text, ok := vm.errorText(tb, "err")
	if !ok {
		text = "ERR execution failure"
	}
	source, ok := vm.errorText(tb, "source")
	line, ok2 := vm.errorText(tb, "line")
	if ok && ok2 && vm.making == nil {
		text += " script: " + vm.script.SHA + ", on " + source + ":" + line + "."
	}
	v := reply.Err(oneLine(text))
	if vm.errorField(tb, countedField) == lua.LTrue {
		v = reply.Told(v)
	}
	return v
}

// placed adds to an error text the script and the line where the error was raised.
func (vm *VM) placed(text string) string {
	if vm.line == 0 || vm.making != nil {
		return text
	}
	return text + " script: " + vm.script.SHA + ", on " + vm.source + ":" + strconv.Itoa(vm.line) + "."
}

// oneLine puts spaces for the bytes that would end an error line.
func oneLine(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '\r' || s[i] == '\n' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] == '\r' || b[i] == '\n' {
					b[i] = ' '
				}
			}
			return string(b)
		}
	}
	return s
}
