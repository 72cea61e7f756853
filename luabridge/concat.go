package luabridge

import (
	lua "github.com/yuin/gopher-lua"
)

// badConcat raises the error about operand n of a concatenation.
func (vm *VM) badConcat(L *lua.LState, n int, v lua.LValue) {
	s, _ := vm.siteAt(L, 0)
	vm.raise(L, lua.LString(vm.where(L, 0)+typeError("concatenate", s.name(n), v.Type().String())))
}
