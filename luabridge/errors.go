package luabridge

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// raise ends the running function with an error value, without a position.
func (vm *VM) raise(L *lua.LState, v lua.LValue) {
	vm.ours = true
	L.Error(v, 0)
}

// fail raises a message with the position of the function that called the running one.
func (vm *VM) fail(L *lua.LState, format string, a ...any) int {
	if text, ok := onlyText(format, a); ok {
		vm.budget.Ask(L, len(text))
		vm.raise(L, lua.LString(vm.where(L, 1)+text))
	}
	for _, v := range a {
		if text, ok := v.(string); ok {
			vm.budget.Ask(L, 4*len(text)) // Sprintf uses a buffer that doubles
		}
	}
	vm.raise(L, lua.LString(vm.where(L, 1)+fmt.Sprintf(format, a...)))
	return 0
}

// onlyText is the format "%s".
func onlyText(format string, a []any) (text string, ok bool) {
	if format == "%s" && len(a) == 1 {
		text, ok = a[0].(string)
	}
	return text, ok
}

// where is Lua's luaL_where: "user_script:3: " for the function at a level of the stack (1:
// the caller of the running one), or "" when that is no Lua function.
func (vm *VM) where(L *lua.LState, level int) string {
	dbg, ok := L.GetStack(level)
	if !ok {
		return vm.whereOutside(L, level)
	}
	if vm.evals > 0 {
		if fn, _ := frameOf(dbg); fn == vm.guardEntry { // an evaluation stands on top of the function that was stopped
			for _, g := range vm.guarded {
				if g.thread == L {
					return vm.where(g.caller, 0)
				}
			}
		}
	}
	if machine.Replaced(L, level) {
		return ""
	}
	return args.Where(L, level)
}

// whereOutside goes on below a thread that runs a protected call: its outermost frame and the innermost one of the caller's
// stack are the same pcall.
func (vm *VM) whereOutside(L *lua.LState, level int) string {
	for _, g := range vm.guarded {
		if g.thread == L {
			depth := 0
			for depth < level {
				if _, ok := L.GetStack(depth); !ok {
					break
				}
				depth++
			}
			return vm.where(g.caller, level-depth+1)
		}
	}
	return ""
}

// callable refuses what cannot be called from a library function.
func (vm *VM) callable(L *lua.LState, fn lua.LValue) {
	if problem := notCallable(fn); problem != "" {
		vm.raise(L, lua.LString(problem))
	}
}

// notCallable is Lua's complaint about calling fn from C, or "".
func notCallable(fn lua.LValue) string {
	if fn.Type() == lua.LTFunction || metamethod(fn, "__call").Type() == lua.LTFunction {
		return ""
	}
	return "attempt to call a " + fn.Type().String() + " value"
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
