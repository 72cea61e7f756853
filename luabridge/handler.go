package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Redis calls each script and function with an error handler that is written in Lua. The handler
// turns any error value into a table and adds the position of the error. Scripts notice this if
// they raise a table of their own that has metamethods or is read-only.

// handlerName is the name of the handler in error positions.
const handlerName = "err_handler_def"

// handlerSource adds a position to an error table, on the same lines as Redis's handler.
const (
	handlerLine   = 10
	handlerSource = "\n\n\n\n\n\n\n\n\nlocal err, source, line = ... err.source = source\nerr.line = line"
)

// placer returns the part of the handler that is Lua.
func (vm *VM) placer() *lua.LFunction {
	if vm.placeFn == nil {
		vm.placeFn = vm.L.NewFunctionFromProto(vm.common.place)
	}
	return vm.placeFn
}

// note does what the handler does with an error that no pcall catches: it keeps the position in vm
// and in the error table. It leaves texts as they are; see failure.
func (vm *VM) note(L *lua.LState, v lua.LValue) {
	vm.source, vm.line = vm.position(L)
	if tb, ok := v.(*lua.LTable); ok && vm.line != 0 {
		vm.place(L, tb, vm.source, vm.line)
	}
}

// place adds a position to an error table. A metamethod that fails raises its own error.
func (vm *VM) place(L *lua.LState, tb *lua.LTable, source string, line int) {
	if tb.Metatable == lua.LNil {
		tables.SetString(tb, "source", lua.LString(source))
		tables.SetString(tb, "line", lua.LNumber(line))
		return
	}
	L.Push(vm.placer())
	L.Push(tb)
	L.Push(lua.LString(source))
	L.Push(lua.LNumber(line))
	L.Call(3, 0)
}

// errorTable returns the table that Redis makes of an error outside pcall.
func (vm *VM) errorTable(L *lua.LState, v lua.LValue, source string, line int) *lua.LTable {
	tb, ok := v.(*lua.LTable)
	if !ok {
		tb = vm.redis.Convert.Field("err", lua.LString("ERR "+args.ToString(v)))
	}
	vm.place(L, tb, source, line)
	return tb
}

// handledByRedis is what the handler makes of an error that was raised at a position. The handler
// handles its own errors too.
func (vm *VM) handledByRedis(L *lua.LState, v lua.LValue, source string, line int) lua.LValue {
	tb, ok := v.(*lua.LTable)
	if !ok || tb.Metatable == lua.LNil {
		return vm.errorTable(L, v, source, line)
	}
	top := L.GetTop()
	L.Push(vm.placer())
	L.Push(tb)
	L.Push(lua.LString(source))
	L.Push(lua.LNumber(line))
	th, err := vm.protected(L, top+1, 4)
	vm.release(th)
	L.SetTop(top)
	if err != nil {
		return vm.errorTable(L, err.(*lua.ApiError).Object, "@"+handlerName, handlerLine)
	}
	return tb
}

// errHandler is the handler itself, which Redis leaves among the globals.
func (vm *VM) errHandler(L *lua.LState) int {
	source, line := vm.callerPosition(L)
	L.Push(vm.errorTable(L, L.Get(1), source, line))
	return 1
}

// callerPosition returns the position that the handler sees when a script calls it: its caller, or
// the caller of that if it is a C function.
func (vm *VM) callerPosition(L *lua.LState) (source string, line int) {
	dbg, ok := L.GetStack(1)
	if !ok {
		return "", 0
	}
	fn, pc := frameOf(dbg)
	if machine.Replaced(L, 1) || !fn.IsG && pc >= 0 && int(fn.Proto.Code[pc]>>26) == lua.OP_TAILCALL {
		return "=(tail call)", -1
	}
	n := len(vm.guarded) - 1
	if fn == vm.common.guardEntry && n >= 0 && vm.guarded[n].thread == L {
		return vm.callerPosition(vm.guarded[n].caller)
	}
	if fn.IsG {
		dbg, ok = L.GetStack(2)
	}
	if ok {
		if _, err := L.GetInfo("Sl", dbg, lua.LNil); err == nil && dbg.CurrentLine > 0 {
			return vm.chunkOf(dbg), dbg.CurrentLine
		}
	}
	return "=[C]", -1
}

// errorField reads a field of an error table. If a metamethod fails, Redis exits; here the field is
// nil.
func (vm *VM) errorField(tb *lua.LTable, name string) lua.LValue {
	if tb.Metatable == lua.LNil {
		return tb.RawGetString(name)
	}
	L := vm.L
	top := L.GetTop()
	defer L.SetTop(top)
	L.Push(vm.common.guardEntry)
	L.Push(L.NewFunction(func(L *lua.LState) int {
		L.Push(L.GetField(tb, name))
		return 1
	}))
	if err := L.PCall(1, 1, nil); err != nil {
		vm.noteBroken(err)
		return lua.LNil
	}
	return L.Get(-1)
}

// errorText returns a field of an error table as text. ok is false if it is not a string or number.
func (vm *VM) errorText(tb *lua.LTable, name string) (text string, ok bool) {
	switch v := vm.errorField(tb, name).(type) {
	case lua.LString, lua.LNumber:
		return args.CString(args.ToString(v)), true
	}
	return "", false
}
