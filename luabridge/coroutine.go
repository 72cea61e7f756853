package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

func (vm *VM) coroutineFunctions() map[string]lua.LGFunction {
	create, resume := vm.stock("coroutine", "create"), vm.stock("coroutine", "resume")
	newThread := func(L *lua.LState, function string) *lua.LState {
		if fn, ok := L.Get(1).(*lua.LFunction); !ok || fn.IsG {
			vm.lib.Bad(L, 1, "Lua function expected")
		}
		create(L)
		th := L.Get(-1).(*lua.LState)
		vm.machine.Install(th)
		L.Pop(1)
		return th
	}
	step := func(L *lua.LState, th *lua.LState) int {
		if state := vm.threadState(L, th); state != "suspended" {
			L.Push(lua.LFalse)
			L.Push(lua.LString("cannot resume " + deadOr(state) + " coroutine"))
			return 2
		}
		if !vm.machine.CanResume() {
			L.Push(lua.LFalse)
			L.Push(lua.LString("C stack overflow"))
			return 2
		}
		current := L.G.CurrentThread
		nesting, held := vm.machine.Nesting(), vm.limits.Budget.Held()
		vm.machine.Resume(L, th, 2)
		n := resume(L)
		vm.machine.Unwind(nesting)
		vm.limits.Budget.Release(held)
		L.G.CurrentThread = current
		vm.ours = false // an error in the coroutine has not gone through onError
		vm.limits.Check(L)
		return n
	}
	return map[string]lua.LGFunction{
		"create": func(L *lua.LState) int {
			L.Push(newThread(L, "create"))
			return 1
		},
		"resume": func(L *lua.LState) int {
			th, ok := L.Get(1).(*lua.LState)
			if !ok {
				return vm.lib.Bad(L, 1, "coroutine expected")
			}
			return step(L, th)
		},
		"wrap": func(L *lua.LState) int {
			th := newThread(L, "wrap")
			L.Push(L.NewClosure(func(L *lua.LState) int {
				L.Insert(th, 1)
				n := step(L, th)
				if L.Get(-n) == lua.LTrue {
					return n - 1
				}
				v := L.Get(-1)
				if s, ok := args.Text(v); ok {
					v = lua.LString(vm.where(L, 1) + s)
				}
				vm.debug.again = true
				vm.raise(L, v)
				return 0
			}, th))
			return 1
		},
		"yield": func(L *lua.LState) int {
			if L.Parent == nil || !vm.machine.CanYield() {
				vm.raise(L, lua.LString("attempt to yield across metamethod/C-call boundary"))
			}
			return -1
		},
		"running": func(L *lua.LState) int {
			if current := L.G.CurrentThread; current != L.G.MainThread {
				L.Push(current)
			} else {
				L.Push(lua.LNil)
			}
			return 1
		},
		"status": func(L *lua.LState) int {
			th, ok := L.Get(1).(*lua.LState)
			if !ok {
				return vm.lib.Bad(L, 1, "coroutine expected")
			}
			L.Push(lua.LString(vm.threadState(L, th)))
			return 1
		},
	}
}

func deadOr(state string) string {
	if state == "dead" {
		return "dead"
	}
	return state
}

// threadState returns the status of a coroutine. A thread that has a parent was resumed and has not
// yielded since.
func (vm *VM) threadState(L *lua.LState, th *lua.LState) string {
	switch {
	case th.Dead:
		return "dead"
	case L.G.CurrentThread == th:
		return "running"
	case th.Parent != nil || th == L.G.MainThread:
		return "normal"
	}
	return "suspended"
}
