package luabridge

import (
	lua "github.com/yuin/gopher-lua"
)

// numberArgument reads argument n as a number.
func (vm *VM) numberArgument(L *lua.LState, n int) float64 {
	f, ok := number(L.Get(n))
	if !ok {
		vm.badType(L, n, "number")
	}
	return f
}

// intArgument reads argument n as C's int: the fraction is dropped, and what does not fit 32 bits loses its upper bits.
func (vm *VM) intArgument(L *lua.LState, n int) int {
	return int(int32(toInt(vm.numberArgument(L, n))))
}

// optionalInt is intArgument where nil and a missing argument stand for a default.
func (vm *VM) optionalInt(L *lua.LState, n, otherwise int) int {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return vm.intArgument(L, n)
}

// textArgument reads argument n as a string.
func (vm *VM) textArgument(L *lua.LState, n int) string {
	s, ok := str(L.Get(n))
	if !ok {
		vm.badType(L, n, "string")
	}
	return s
}

// optionalText is textArgument where nil and a missing argument stand for a default.
func (vm *VM) optionalText(L *lua.LState, n int, otherwise string) string {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return vm.textArgument(L, n)
}

// tableArgument reads argument n as a table; of a read-only one it returns the table behind.
func (vm *VM) tableArgument(L *lua.LState, n int) *lua.LTable {
	tb, ok := L.Get(n).(*lua.LTable)
	if !ok {
		vm.badType(L, n, "table")
	}
	return vm.unproxy(tb)
}

// functionArgument reads argument n as a function.
func (vm *VM) functionArgument(L *lua.LState, n int) *lua.LFunction {
	fn, ok := L.Get(n).(*lua.LFunction)
	if !ok {
		vm.badType(L, n, "function")
	}
	return fn
}

// anyArgument insists on an argument n, which may be nil.
func (vm *VM) anyArgument(L *lua.LState, n int) {
	if L.GetTop() < n {
		vm.badArgument(L, n, "value expected")
	}
}
