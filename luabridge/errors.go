package luabridge

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// raise ends the running function with an error value, without a position.
func (vm *VM) raise(L *lua.LState, v lua.LValue) {
	vm.ours = true
	L.Error(v, 0)
}

// fail raises a message with the position of the function that called the running one.
func (vm *VM) fail(L *lua.LState, format string, args ...any) int {
	vm.raise(L, lua.LString(vm.where(L, 1)+fmt.Sprintf(format, args...)))
	return 0
}

// where is Lua's luaL_where: "user_script:3: " for the function at a level of the stack (1:
// the caller of the running one), or "" when that is no Lua function.
func (vm *VM) where(L *lua.LState, level int) string {
	dbg, ok := L.GetStack(level)
	if !ok {
		return ""
	}
	if _, err := L.GetInfo("Sl", dbg, lua.LNil); err != nil || dbg.CurrentLine <= 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", dbg.Source, dbg.CurrentLine)
}

// badArgument raises Lua's complaint about argument n of a library function.
func (vm *VM) badArgument(L *lua.LState, n int, problem string) int {
	return vm.fail(L, "%s", vm.argumentError(L, n, problem))
}

// badType raises the complaint that argument n has the wrong type.
func (vm *VM) badType(L *lua.LState, n int, want string) int {
	got := "no value"
	if n <= L.GetTop() {
		got = L.Get(n).Type().String()
	}
	return vm.badArgument(L, n, want+" expected, got "+got)
}
