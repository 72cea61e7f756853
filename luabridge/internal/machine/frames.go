package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Call is a function in progress, for those who look at a script that stands still. The zero value is none.
type Call struct {
	thread *lua.LState
	frame  *frame
}

// Innermost is the function that a thread is in.
func Innermost(L *lua.LState) Call { return Call{L, look(L).currentFrame} }

// IsZero reports whether there is no such function.
func (c Call) IsZero() bool { return c.frame == nil }

// Outer is the function below on the same thread.
func (c Call) Outer() Call { return Call{c.thread, c.frame.Parent} }

// Thread is the thread that the function runs on.
func (c Call) Thread() *lua.LState { return c.thread }

// Function is what was called.
func (c Call) Function() *lua.LFunction { return c.frame.Fn }

// At is the index of the instruction that is being run, or is about to be.
func (c Call) At() int { return c.frame.Pc - 1 }

// Replaced reports whether the function took the place of its caller, by a tail call.
func (c Call) Replaced() bool { return !c.frame.Fn.IsG && c.frame.TailCall > 0 }

// Register is the value of a register of a Lua function.
func (c Call) Register(i int) lua.LValue { return look(c.thread).reg.at(c.frame.LocalBase + i) }

// SetRegister gives a register another value.
func (c Call) SetRegister(i int, v lua.LValue) {
	look(c.thread).reg.array[c.frame.LocalBase+i] = v
}

// Varargs is how many values the ... of a Lua function has.
func (c Call) Varargs() int {
	p := c.frame.Fn.Proto
	if p.IsVarArg&lua.VarArgIsVarArg == 0 {
		return 0
	}
	return max(c.frame.NArgs-int(p.NumParameters), 0)
}

// Vararg is value i of the ..., from 0.
func (c Call) Vararg(i int) lua.LValue { return look(c.thread).reg.at(c.vararg(i)) }

// SetVararg gives value i of the ... another value.
func (c Call) SetVararg(i int, v lua.LValue) { look(c.thread).reg.array[c.vararg(i)] = v }

func (c Call) vararg(i int) int {
	return c.frame.Base + int(c.frame.Fn.Proto.NumParameters) + 1 + i
}

func (r *registry) at(i int) lua.LValue {
	if i >= len(r.array) || r.array[i] == nil {
		return lua.LNil
	}
	return r.array[i]
}

// upvalue mirrors lua.Upvalue.
type upvalue struct {
	next   *lua.Upvalue
	reg    *registry
	index  int
	value  lua.LValue
	closed bool
}

// Capture is an upvalue that stands for a register: the one that closures of the script hold, or one of its own, which the caller
// must close before the function goes on.
func (c Call) Capture(i int) (up *lua.Upvalue, shared bool) {
	s := look(c.thread)
	index := c.frame.LocalBase + i
	for up := s.uvcache; up != nil; {
		u := (*upvalue)(unsafe.Pointer(up))
		if u.index == index {
			return up, true
		}
		up = u.next
	}
	up = &lua.Upvalue{}
	*(*upvalue)(unsafe.Pointer(up)) = upvalue{reg: s.reg, index: index}
	return up, false
}

// Cell is an upvalue that holds a value.
func Cell(v lua.LValue) *lua.Upvalue {
	up := &lua.Upvalue{}
	up.Close()
	up.SetValue(v)
	return up
}
