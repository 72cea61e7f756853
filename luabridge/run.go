package luabridge

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Run runs the script with KEYS and ARGV and returns its reply. An error of the script is an error
// reply with Redis's text. Run does not keep keys and argv.
func (vm *VM) Run(h Host, s *Script, keys, argv []string) reply.Value {
	if s.gen != vm.gen {
		s.fn, s.gen = vm.L.NewFunctionFromProto(s.proto), vm.gen
	}
	shown := vm.debug.debugger != nil // a debugger may show what the script does not read
	giveKeys, giveArgv := s.given.Keys || shown, s.given.Argv || shown
	if giveKeys && vm.keys.give(vm.lib.Hashing, &vm.redis.Convert.Boxes, vm.globals.Env, "KEYS", keys, s.given.Kept || shown) {
		vm.machine.ForgetGlobals()
	}
	if giveArgv && vm.argv.give(vm.lib.Hashing, &vm.redis.Convert.Boxes, vm.globals.Env, "ARGV", argv, s.given.Kept || shown) {
		vm.machine.ForgetGlobals()
	}
	v := vm.run(h, s)
	vm.chunks.loaded = nil
	if giveKeys {
		vm.keys.release(&vm.globals, vm.machine, "KEYS")
	}
	if giveArgv {
		vm.argv.release(&vm.globals, vm.machine, "ARGV")
	}
	if vm.broken || machine.Room(vm.L) > keptRoom {
		vm.rebuild()
	}
	return v
}

// run calls the function of s with the arguments in vm.given.
func (vm *VM) run(h Host, s *Script) (v reply.Value) {
	vm.script, vm.redis.Host, vm.redis.Convert.Proto, vm.line = s, h, 2, 0
	L := vm.L
	vm.limits.BeginRun()
	if vm.making != nil && vm.debug.debugger == nil { // a debugger may stop it for long
		defer vm.limits.EndLater(loadTime, "ERR FUNCTION LOAD timeout")()
	}
	vm.machine.Unwind(machine.Nesting{})
	vm.profiling.last = nil
	if s.watch != nil {
		s.watch.begin(vm)
	}
	if err := machine.Begin(L, vm.common.entry, vm.callScriptFn); err == nil {
		v = vm.reply
	} else {
		v = vm.failure(err)
	}
	if s.watch != nil {
		s.watch.end(vm)
	}
	vm.limits.EndRun()
	vm.script, vm.redis.Host, vm.reply = nil, nil, reply.Value{}
	vm.debug.endRun()
	vm.base.Forget()
	vm.string.Forget()
	vm.redis.Forget()
	vm.noted, vm.handler = guard{}, nil
	vm.machine.Forget(L)
	return v
}

// callScript calls the script with the arguments in vm.given and converts its result.
func (vm *VM) callScript(L *lua.LState) {
	L.Push(vm.script.fn)
	for _, v := range vm.given {
		L.Push(v)
	}
	L.Call(len(vm.given), 1)
	vm.reply = vm.redis.Convert.ToReply(L, L.Get(-1))
}

// enterGuarded is the frame below the function of a pcall. The function and its arguments are on
// the stack. It replaces gopher-lua's error hook, which would write a stack trace for every error.
func (vm *VM) enterGuarded(L *lua.LState) int {
	defer machine.Convert()
	L.Panic = vm.onErrorFn
	L.Call(L.GetTop()-1, lua.MultRet)
	return L.GetTop()
}

// onError is called with the error value on the stack. The failing frame is still there.
func (vm *VM) onError(L *lua.LState) {
	v := L.Get(-1)
	if text, ok := v.(lua.LString); ok && !vm.ours {
		v = lua.LString(translate(string(text)))
	}
	vm.ours = false
	if vm.debug.debugger != nil {
		vm.debug.raised(L, v)
	}
	vm.failed = vm.machine.Nesting()
	if vm.opt.tool != nil {
		vm.opt.tool.raised(L, v)
	} else if L == vm.L && vm.making == nil {
		vm.note(L, v)
	} else if n := len(vm.guarded) - 1; n >= 0 && vm.guarded[n].noting && vm.guarded[n].thread == L {
		vm.guarded[n].source, vm.guarded[n].line = vm.position(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: v, StackTrace: machine.NoTrace})
}

// resumed is called when a coroutine has yielded, ended or failed.
func (vm *VM) resumed(L *lua.LState) {
	vm.ours = false // an error in the coroutine has not gone through onError
	vm.limits.Check(L)
}

// position returns where Redis's error handler would look: the function that raised the error, or
// its caller if that is a C function. The line is 0 if nobody called it.
func (vm *VM) position(L *lua.LState) (source string, line int) {
	for level := range 2 {
		dbg, ok := L.GetStack(level)
		if !ok {
			break
		}
		if fn, _ := frameOf(dbg); fn == vm.common.entry {
			return "", 0
		}
		if _, err := L.GetInfo("Sl", dbg, lua.LNil); err == nil && dbg.CurrentLine > 0 {
			return vm.chunkOf(dbg), dbg.CurrentLine
		}
	}
	return "=[C]", -1
}

// failure returns the error reply for the error that ended the script.
func (vm *VM) failure(err error) reply.Value {
	if stop := vm.limits.Order(); stop != nil {
		vm.ClearInterrupt()
		return vm.stopReply(stop)
	}
	if problem := vm.noteBroken(err); problem != "" {
		return reply.Errorf("ERR %s", convert.OneLine(problem))
	}
	v := vm.failureReply(err.(*lua.ApiError).Object)
	if stop := vm.limits.Order(); stop != nil { // it arrived while a metamethod returned the text
		vm.ClearInterrupt()
		return vm.stopReply(stop)
	}
	return v
}

// noteBroken marks the state as broken after an abnormal end. It returns the text for a bug, or "".
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
		if p, ok := e.Cause.(*machine.GoPanic); ok {
			stack = string(p.Stack)
			err = p
		}
		vm.opt.Logger.Error("luabridge: panic in a script", "script", vm.script.SHA, "panic", err.Error(), "stack", stack)
		return "internal error in script: " + err.Error()
	}
	return ""
}

// failureReply returns the error reply for a script that ended with an error value.
func (vm *VM) failureReply(value lua.LValue) reply.Value {
	tb, ok := value.(*lua.LTable)
	if !ok {
		return reply.Err(convert.OneLine(vm.placed(args.CString("ERR " + args.ToString(value)))))
	}
	text, ok := vm.errorText(tb, "err")
	if !ok {
		text = "ERR execution failure"
		if vm.opt.server.Has(servers.UnknownErrors) {
			text = "ERR unknown error"
		}
	}
	source, ok := vm.errorText(tb, "source")
	line, ok2 := vm.errorText(tb, "line")
	if ok && ok2 && vm.making == nil {
		text += vm.at(source, line)
	}
	v := reply.Err(convert.OneLine(text))
	if vm.errorField(tb, convert.CountedField) == lua.LTrue {
		v = reply.Counted(v)
	}
	return v
}

// placed adds the script and the line where the error was raised to an error text.
func (vm *VM) placed(text string) string {
	if vm.line == 0 || vm.making != nil {
		return text
	}
	return text + vm.at(vm.source, strconv.Itoa(vm.line))
}

// at returns the end of an error text: where the error was raised.
func (vm *VM) at(source, line string) string {
	script := vm.script.SHA + ", "
	if vm.opt.server.Has(servers.ErrorsWithoutName) {
		script = ""
	}
	return " script: " + script + "on " + source + ":" + line + "."
}
