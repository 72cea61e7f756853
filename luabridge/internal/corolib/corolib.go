package corolib

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// Library is the library with its ties to the program around it. It belongs to one goroutine.
type Library struct {
	args.Host
	Machine *machine.Machine
	// Where returns the position of the function at a level of the stack (0: the running one) as
	// error messages begin with it.
	Where func(L *lua.LState, level int) string
	// Resumed is called on the resuming thread when a coroutine has yielded, ended or failed. It may
	// raise an error.
	Resumed func(L *lua.LState)
	// Again is called before coroutine.wrap raises the error of its coroutine again.
	Again func()
}

// Functions returns the functions of the library by their names. It opens gopher-lua's own library
// among the globals of L and uses its functions, so it must be called before L gets the globals of
// scripts.
func (c *Library) Functions(L *lua.LState) map[string]lua.LGFunction {
	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 0)
	stock := L.G.Global.RawGetString("coroutine").(*lua.LTable)
	create := stock.RawGetString("create").(*lua.LFunction).GFunction
	resume := stock.RawGetString("resume").(*lua.LFunction).GFunction
	newThread := func(L *lua.LState, function string) *lua.LState {
		if fn, ok := L.Get(1).(*lua.LFunction); !ok || fn.IsG {
			c.Bad(L, 1, "Lua function expected")
		}
		create(L)
		th := L.Get(-1).(*lua.LState)
		c.Machine.Install(th)
		L.Pop(1)
		return th
	}
	step := func(L *lua.LState, th *lua.LState) int {
		if state := state(L, th); state != "suspended" {
			L.Push(lua.LFalse)
			L.Push(lua.LString("cannot resume " + deadOr(state) + " coroutine"))
			return 2
		}
		if !c.Machine.CanResume() {
			L.Push(lua.LFalse)
			L.Push(lua.LString("C stack overflow"))
			return 2
		}
		current := L.G.CurrentThread
		nesting, held := c.Machine.Nesting(), c.Budget.Held()
		c.Machine.Resume(L, th, 2)
		n := resume(L)
		c.Machine.Unwind(nesting)
		c.Budget.Release(held)
		L.G.CurrentThread = current
		c.Resumed(L)
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
				return c.Bad(L, 1, "coroutine expected")
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
					v = lua.LString(c.Where(L, 1) + s)
				}
				c.Again()
				c.Throw(L, v)
				return 0
			}, th))
			return 1
		},
		"yield": func(L *lua.LState) int {
			if L.Parent == nil || !c.Machine.CanYield() {
				c.Throw(L, lua.LString("attempt to yield across metamethod/C-call boundary"))
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
				return c.Bad(L, 1, "coroutine expected")
			}
			L.Push(lua.LString(state(L, th)))
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

// state returns the status of a coroutine. A thread that has a parent was resumed and has not
// yielded since.
func state(L *lua.LState, th *lua.LState) string {
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
