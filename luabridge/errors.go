package luabridge

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// raise raises an error value as it is.
func (vm *VM) raise(L *lua.LState, v lua.LValue) {
	vm.ours = true
	L.Error(v, 0)
}

// fail raises a message with the position of the caller of the running function.
func (vm *VM) fail(L *lua.LState, format string, a ...any) int {
	if text, ok := onlyText(format, a); ok {
		vm.limits.Budget.Ask(L, len(text))
		vm.raise(L, lua.LString(vm.where(L, 1)+text))
	}
	for _, v := range a {
		if text, ok := v.(string); ok {
			vm.limits.Budget.Ask(L, 4*len(text)) // Sprintf doubles its buffer
		}
	}
	vm.raise(L, lua.LString(vm.where(L, 1)+fmt.Sprintf(format, a...)))
	return 0
}

// onlyText returns the text of the format "%s".
func onlyText(format string, a []any) (text string, ok bool) {
	if format == "%s" && len(a) == 1 {
		text, ok = a[0].(string)
	}
	return text, ok
}

// where is Lua's luaL_where. It returns a position such as "user_script:3: " for the function at a
// level of the stack (1: the caller of the running one), or "" if that is not a Lua function.
func (vm *VM) where(L *lua.LState, level int) string {
	dbg, ok := L.GetStack(level)
	if !ok {
		return vm.whereOutside(L, level)
	}
	if vm.limits.Evals > 0 {
		if fn, _ := frameOf(dbg); fn == vm.common.guardEntry { // below an evaluation is the function that was stopped
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

// whereOutside is where for levels below a thread that runs a protected call. The outermost frame
// of the thread and the innermost one of the caller's stack are the same pcall.
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

// badArgument raises Lua's error about argument n of a library function.
func (vm *VM) badArgument(L *lua.LState, n int, problem string) int {
	return vm.fail(L, "%s", vm.argumentError(L, n, problem))
}
