package corolib

import (
	"sync"

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

// stock are gopher-lua's own functions.
var stock = sync.OnceValue(func() (s struct{ create, resume lua.LGFunction }) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 0)
	library := L.G.Global.RawGetString("coroutine").(*lua.LTable)
	s.create = library.RawGetString("create").(*lua.LFunction).GFunction
	s.resume = library.RawGetString("resume").(*lua.LFunction).GFunction
	return s
})

// Functions returns the functions of the library.
func Functions() []args.Function[Library] {
	return []args.Function[Library]{
		{Name: "create", Call: (*Library).create},
		{Name: "resume", Call: (*Library).resume},
		{Name: "running", Call: (*Library).running},
		{Name: "status", Call: (*Library).status},
		{Name: "wrap", Call: (*Library).wrap},
		{Name: "yield", Call: (*Library).yield},
	}
}

// newThread makes a coroutine of argument 1.
func (c *Library) newThread(L *lua.LState) *lua.LState {
	if fn, ok := L.Get(1).(*lua.LFunction); !ok || fn.IsG {
		c.Bad(L, 1, "Lua function expected")
	}
	stock().create(L)
	th := L.Get(-1).(*lua.LState)
	c.Machine.Install(th)
	L.Pop(1)
	return th
}

// step resumes a coroutine. It pushes what coroutine.resume returns.
func (c *Library) step(L *lua.LState, th *lua.LState) int {
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
	n := stock().resume(L)
	c.Machine.Unwind(nesting)
	c.Budget.Release(held)
	L.G.CurrentThread = current
	c.Resumed(L)
	return n
}

func (c *Library) create(L *lua.LState) int {
	L.Push(c.newThread(L))
	return 1
}

func (c *Library) resume(L *lua.LState) int {
	th, ok := L.Get(1).(*lua.LState)
	if !ok {
		return c.Bad(L, 1, "coroutine expected")
	}
	return c.step(L, th)
}

func (c *Library) wrap(L *lua.LState) int {
	th := c.newThread(L)
	L.Push(L.NewClosure(func(L *lua.LState) int {
		L.Insert(th, 1)
		n := c.step(L, th)
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
}

func (c *Library) yield(L *lua.LState) int {
	if L.Parent == nil || !c.Machine.CanYield() {
		c.Throw(L, lua.LString("attempt to yield across metamethod/C-call boundary"))
	}
	return -1
}

func (c *Library) running(L *lua.LState) int {
	if current := L.G.CurrentThread; current != L.G.MainThread {
		L.Push(current)
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

func (c *Library) status(L *lua.LState) int {
	th, ok := L.Get(1).(*lua.LState)
	if !ok {
		return c.Bad(L, 1, "coroutine expected")
	}
	L.Push(lua.LString(state(L, th)))
	return 1
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
