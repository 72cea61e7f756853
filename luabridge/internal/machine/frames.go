package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Call is a function in progress on a thread that stands still. The zero value is none.
type Call struct {
	thread *lua.LState
	frame  *frame
}

// Innermost returns the innermost function of a thread.
func Innermost(L *lua.LState) Call { return Call{L, look(L).currentFrame} }

// IsZero reports whether c is none.
func (c Call) IsZero() bool { return c.frame == nil }

// Outer returns the function below on the same thread.
func (c Call) Outer() Call { return Call{c.thread, c.frame.Parent} }

// Thread returns the thread that the function runs on.
func (c Call) Thread() *lua.LState { return c.thread }

// Function returns the function.
func (c Call) Function() *lua.LFunction { return c.frame.Fn }

// At returns the index of the instruction that runs or is about to run.
func (c Call) At() int { return c.frame.Pc - 1 }

// Replaced reports whether the function replaced its caller, by a tail call.
func (c Call) Replaced() bool { return !c.frame.Fn.IsG && c.frame.TailCall > 0 }

// Register returns the value of a register of a Lua function.
func (c Call) Register(i int) lua.LValue { return look(c.thread).reg.at(c.frame.LocalBase + i) }

// SetRegister sets a register.
func (c Call) SetRegister(i int, v lua.LValue) {
	look(c.thread).reg.array[c.frame.LocalBase+i] = v
}

// Varargs returns the number of values of the ... of a Lua function.
func (c Call) Varargs() int {
	p := c.frame.Fn.Proto
	if p.IsVarArg&lua.VarArgIsVarArg == 0 {
		return 0
	}
	return max(c.frame.NArgs-int(p.NumParameters), 0)
}

// Vararg returns value i of the ..., from 0.
func (c Call) Vararg(i int) lua.LValue { return look(c.thread).reg.at(c.vararg(i)) }

// SetVararg sets value i of the ....
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

// Capture returns an upvalue for a register. It is shared if closures of the script hold it
// already. Otherwise the caller must close it before the function continues.
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

// Cell returns a closed upvalue with a value.
func Cell(v lua.LValue) *lua.Upvalue {
	up := &lua.Upvalue{}
	up.Close()
	up.SetValue(v)
	return up
}
