package luabridge

import (
	lua "github.com/yuin/gopher-lua"
)

// maxNested is how deep pcall may nest: Lua's limit on C calls.
const maxNested = 197

// guard is one pcall in progress.
type guard struct {
	thread, caller *lua.LState
}

// protected calls the function on L's stack, with the n values behind it, on a thread of its own and leaves the
// results, or the error value, on that thread. On one thread, gopher-lua would close the open upvalues
// of all the frames below when an error is caught, and the callers' closures would lose touch with
// their variables.
func (vm *VM) protected(L *lua.LState, first, n int) (th *lua.LState, err error) {
	if len(vm.guarded) >= maxNested {
		vm.fail(L, "C stack overflow")
	}
	th = vm.thread(L)
	th.Push(vm.guardEntry)
	for i := range n {
		th.Push(L.Get(first + i))
	}
	current := L.G.CurrentThread
	depth := len(vm.guarded)
	vm.guarded = append(vm.guarded, guard{th, L})
	err = th.PCall(n, lua.MultRet, nil)
	vm.guarded = vm.guarded[:depth]
	L.G.CurrentThread = current
	if err != nil {
		vm.pass(L, err)
	}
	return th, err
}

// pass sends on what pcall must not catch.
func (vm *VM) pass(L *lua.LState, err error) {
	e, ok := err.(*lua.ApiError)
	if !ok || e.Type == lua.ApiErrorPanic || vm.kill.killed() {
		vm.broken = true
		panic(err)
	}
	if e.Type == lua.ApiErrorError { // stack overflow
		vm.broken = true
	}
}

// thread takes a thread out of the pool. It looks for interrupts when L does.
func (vm *VM) thread(L *lua.LState) *lua.LState {
	var th *lua.LState
	if n := len(vm.spare); n > 0 {
		th = vm.spare[n-1]
		vm.spare = vm.spare[:n-1]
	} else {
		ctx := L.RemoveContext() // NewThread would wrap it
		th, _ = L.NewThread()
		if ctx != nil {
			L.SetContext(ctx)
		}
	}
	if L.Context() != nil {
		th.SetContext(&vm.kill)
	} else if th.Context() != nil {
		th.RemoveContext()
	}
	return th
}

func (vm *VM) release(th *lua.LState) {
	th.SetTop(0)
	vm.spare = append(vm.spare, th)
}

func (vm *VM) pcall(L *lua.LState) int {
	n := L.GetTop()
	if n == 0 {
		L.Push(lua.LFalse)
		L.Push(lua.LString("attempt to call a boolean value"))
		return 2
	}
	if v := L.Get(1); v.Type() != lua.LTFunction && metamethod(v, "__call") == lua.LNil {
		L.Push(lua.LFalse)
		L.Push(lua.LString("attempt to call a " + v.Type().String() + " value"))
		return 2
	}
	th, err := vm.protected(L, 1, n)
	if err != nil {
		L.Push(lua.LFalse)
		L.Push(caught(err))
		vm.release(th)
		return 2
	}
	m := th.GetTop()
	L.Push(lua.LTrue)
	for i := 1; i <= m; i++ {
		L.Push(th.Get(i))
	}
	vm.release(th)
	return m + 1
}

// caught is what pcall returns of an error: Redis takes the text out of the tables that
// redis.call raises.
func caught(err error) lua.LValue {
	v := err.(*lua.ApiError).Object
	if tb, ok := v.(*lua.LTable); ok {
		switch msg := tb.RawGetString("err").(type) {
		case lua.LString, lua.LNumber:
			return msg
		}
	}
	return v
}

// xpcall calls its handler when the failed call is already unwound; without the debug library, a script
// cannot tell.
func (vm *VM) xpcall(L *lua.LState) int {
	if L.GetTop() < 2 {
		return vm.badArgument(L, 2, "value expected")
	}
	handler := L.Get(2)
	th, err := vm.protected(L, 1, 1)
	if err == nil {
		m := th.GetTop()
		L.Push(lua.LTrue)
		for i := 1; i <= m; i++ {
			L.Push(th.Get(i))
		}
		vm.release(th)
		return m + 1
	}
	vm.release(th)
	L.SetTop(0)
	L.Push(handler)
	L.Push(err.(*lua.ApiError).Object)
	th, err = vm.protected(L, 1, 2)
	result := th.Get(1)
	if err != nil {
		result = lua.LString("error in error handling")
	}
	vm.release(th)
	L.Push(lua.LFalse)
	L.Push(result)
	return 2
}
