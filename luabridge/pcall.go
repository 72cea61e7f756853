package luabridge

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// keptRoom is the largest size of a stack that is kept, in values of 16 bytes.
const keptRoom = 1 << 14

// guard is a pcall in progress.
type guard struct {
	thread, caller *lua.LState

	handler lua.LValue // of an xpcall, or nil
	noting  bool       // the handler is Redis's own and needs the position of the error:
	source  string     // the position
	line    int
}

// protected calls the function on L's stack, with n values from index first on, on a thread of its
// own. The results, or the error value, stay on that thread. If the call used L itself, gopher-lua
// would close the upvalues of all frames below when it catches an error, and the closures of the
// callers would lose their variables.
func (vm *VM) protected(L *lua.LState, first, n int) (th *lua.LState, err error) {
	th = vm.thread(L)
	th.Push(vm.common.guardEntry)
	for i := range n {
		th.Push(L.Get(first + i))
	}
	current := L.G.CurrentThread
	nesting, depth, held := vm.machine.Nesting(), len(vm.guarded), vm.limits.Budget.Held()
	vm.guarded = append(vm.guarded, guard{thread: th, caller: L, handler: vm.handler, noting: vm.handler == vm.common.handler})
	vm.handler = nil
	vm.machine.Below(L)
	err = th.PCall(n, lua.MultRet, nil)
	if vm.guarded[depth].noting {
		vm.noted = vm.guarded[depth]
	}
	vm.guarded[depth] = guard{}
	vm.guarded = vm.guarded[:depth]
	vm.machine.Unwind(nesting)
	vm.limits.Budget.Release(held)
	L.G.CurrentThread = current
	if err != nil {
		vm.pass(L, err)
	}
	return th, err
}

// handlerOn returns the error handler that is in force on L: Redis's own where no pcall, xpcall or
// coroutine is in progress, that of the xpcall, or nil.
func (vm *VM) handlerOn(L *lua.LState) lua.LValue {
	if L == vm.L && vm.opt.tool == nil {
		return vm.common.handler
	}
	if n := len(vm.guarded) - 1; n >= 0 && vm.guarded[n].thread == L {
		return vm.guarded[n].handler
	}
	return nil
}

// pass raises the errors that pcall must not catch. In Redis an order to stop ends the script at
// the line after the pcall.
func (vm *VM) pass(L *lua.LState, err error) {
	e, ok := err.(*lua.ApiError)
	if !ok || e.Type == lua.ApiErrorPanic {
		vm.broken = true
	}
	stopped := vm.limits.Order() != nil
	if stopped && L == vm.L {
		if line := machine.NextLine(L); line > 0 {
			vm.line = line
		}
	}
	if !ok || e.Type == lua.ApiErrorPanic || stopped {
		panic(err)
	}
	if e.Type == lua.ApiErrorError { // stack overflow
		vm.broken = true
	}
}

// thread returns a thread from the pool.
func (vm *VM) thread(L *lua.LState) *lua.LState {
	if n := len(vm.spare); n > 0 {
		th := vm.spare[n-1]
		vm.spare[n-1] = nil
		vm.spare = vm.spare[:n-1]
		return th
	}
	th, _ := L.NewThread()
	vm.machine.Install(th)
	return th
}

func (vm *VM) release(th *lua.LState) {
	if machine.Room(th) > keptRoom {
		return
	}
	th.SetTop(0)
	vm.machine.Clear(th)
	vm.spare = append(vm.spare, th)
}

func (vm *VM) pcall(L *lua.LState) int {
	n := L.GetTop()
	if n == 0 {
		L.Push(lua.LFalse)
		L.Push(lua.LString("attempt to call a boolean value"))
		return 2
	}
	if problem := args.NotCallable(L.Get(1)); problem != "" {
		L.Push(lua.LFalse)
		L.Push(lua.LString(problem))
		return 2
	}
	th, err := vm.protected(L, 1, n)
	if err != nil {
		vm.release(th)
		return vm.pushCaught(L, err.(*lua.ApiError).Object)
	}
	m := th.GetTop()
	L.Push(lua.LTrue)
	for i := 1; i <= m; i++ {
		L.Push(th.Get(i))
	}
	vm.release(th)
	return m + 1
}

// pushCaught pushes what pcall returns for an error. Redis takes the text out of the tables that
// redis.call raises. If the field err is not a text, Redis returns it after the table. A tool gets
// the error value, as in Lua.
func (vm *VM) pushCaught(L *lua.LState, v lua.LValue) int {
	L.Push(lua.LFalse)
	tb, ok := v.(*lua.LTable)
	if !ok || vm.opt.tool != nil {
		L.Push(v)
		return 2
	}
	text := L.GetField(tb, "err")
	switch text.(type) {
	case lua.LString, lua.LNumber:
		L.Push(text)
		return 2
	}
	L.Push(tb)
	L.Push(text)
	return 3
}

// xpcall calls its handler after the failed call has been unwound. Without the debug library, a
// script sees no difference.
func (vm *VM) xpcall(L *lua.LState) int {
	vm.lib.Any(L, 2)
	handler := L.Get(2)
	var failure lua.LValue
	if problem := args.NotCallable(L.Get(1)); problem != "" {
		failure, vm.failed, vm.noted = lua.LString(problem), vm.machine.Nesting().Deeper(), guard{noting: true}
		vm.noted.source, vm.noted.line = vm.position(L)
	} else {
		vm.handler = handler
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
		failure = err.(*lua.ApiError).Object
	}
	L.SetTop(0)
	L.Push(lua.LFalse)
	if handler == vm.common.handler && vm.noted.noting {
		failure = vm.handledByRedis(L, failure, vm.noted.source, vm.noted.line)
	} else {
		failure = vm.handled(L, handler, failure)
	}
	L.Push(failure)
	return 2
}

// handled returns what an xpcall's handler makes of an error. In Lua the handler runs on top of the
// failed function, and again for each error of its own, until the C stack is full.
func (vm *VM) handled(L *lua.LState, handler, failure lua.LValue) lua.LValue {
	if handler.Type() == lua.LTFunction {
		nesting := vm.machine.Nesting()
		defer func() { vm.machine.Unwind(nesting) }()
		for vm.machine.Deepen(vm.failed) {
			top := L.GetTop()
			L.Push(handler)
			L.Push(failure)
			th, err := vm.protected(L, top+1, 2)
			L.SetTop(top)
			result := th.Get(1)
			vm.release(th)
			if err == nil {
				return result
			}
			failure = err.(*lua.ApiError).Object
		}
	}
	return lua.LString("error in error handling")
}

// catches reports whether something that the script has in progress will catch an error raised on
// L.
func (vm *VM) catches(L *lua.LState) bool {
	for {
		if slices.ContainsFunc(vm.guarded, func(g guard) bool { return g.thread == L }) {
			return true
		}
		if L.Parent == nil {
			for c := machine.Innermost(L); !c.IsZero(); c = c.Outer() {
				if c.Function() == vm.common.guardEntry { // a metamethod returns a field of an error table
					return true
				}
			}
			return false
		}
		resume := machine.Innermost(L.Parent).Function()
		if !resume.IsG || len(resume.Upvalues) == 0 {
			return true
		}
		L = L.Parent // a function of coroutine.wrap, which has an upvalue, passes the error on
	}
}
