package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Redis calls each script and function with an error handler that is written in Lua: it makes a table of whatever was raised
// and puts into it where that happened. Scripts notice when they raise a table of their own that has metamethods, or one
// that is read-only.

// handlerName is what error positions call the handler.
const handlerName = "err_handler_def"

// handlerSource puts a position into an error table, on the lines on which Redis's handler does.
const (
	handlerLine   = 10
	handlerSource = "\n\n\n\n\n\n\n\n\nlocal err, source, line = ... err.source = source\nerr.line = line"
)

// openHandler makes the part of the error handler that is Lua.
func (vm *VM) openHandler() {
	proto, _, err := compile(handlerSource, handlerName, nil, luac.Options{})
	if err != nil {
		panic("luabridge: " + err.Error())
	}
	vm.placeFn = vm.L.NewFunctionFromProto(proto)
}

// note does what the handler does with an error that no pcall catches, which ends the script: its position is kept in vm and in its table.
// Texts stay as they are; see failure.
func (vm *VM) note(L *lua.LState, v lua.LValue) {
	vm.source, vm.line = vm.position(L)
	if tb, ok := v.(*lua.LTable); ok && vm.line != 0 {
		vm.place(L, tb, vm.source, vm.line)
	}
}

// place puts a position into an error table. A metamethod that fails raises its own error.
func (vm *VM) place(L *lua.LState, tb *lua.LTable, source string, line int) {
	if tb.Metatable == lua.LNil {
		tables.SetString(tb, "source", lua.LString(source))
		tables.SetString(tb, "line", lua.LNumber(line))
		return
	}
	L.Push(vm.placeFn)
	L.Push(tb)
	L.Push(lua.LString(source))
	L.Push(lua.LNumber(line))
	L.Call(3, 0)
}

// errorTable is the table that Redis makes of an error outside pcall.
func (vm *VM) errorTable(L *lua.LState, v lua.LValue, source string, line int) *lua.LTable {
	tb, ok := v.(*lua.LTable)
	if !ok {
		tb = field("err", lua.LString("ERR "+vm.text(v)))
	}
	vm.place(L, tb, source, line)
	return tb
}

// errHandler is the handler itself, which Redis leaves among the globals.
func (vm *VM) errHandler(L *lua.LState) int {
	source, line := vm.callerPosition(L)
	L.Push(vm.errorTable(L, L.Get(1), source, line))
	return 1
}

// callerPosition is where the handler looks when a script calls it: at its caller, or behind that, when it is a C function.
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
	if fn == vm.guardEntry && n >= 0 && vm.guarded[n].thread == L {
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

// errorField reads a field of the table that ended a script, or that it returned. Where a metamethod fails, Redis ends
// itself; here the field is nil.
func (vm *VM) errorField(tb *lua.LTable, name string) lua.LValue {
	if tb.Metatable == lua.LNil {
		return tb.RawGetString(name)
	}
	L := vm.L
	top := L.GetTop()
	defer L.SetTop(top)
	L.Push(vm.guardEntry)
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

// errorText is a field of an error as text; ok is false where it is no string or number.
func (vm *VM) errorText(tb *lua.LTable, name string) (text string, ok bool) {
	switch v := vm.errorField(tb, name).(type) {
	case lua.LString, lua.LNumber:
		return cString(vm.text(v)), true
	}
	return "", false
}
