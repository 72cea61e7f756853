package machine

import (
	"fmt"
	"runtime/debug"

	lua "github.com/yuin/gopher-lua"
)

// NoTrace is a stack trace that keeps gopher-lua from writing one.
const NoTrace = "-"

// overflow is gopher-lua's panic value for a full call stack.
const overflow = "lua callstack overflow"

// GoPanic is a panic of Go code that leaves the VM. It is the cause of a [lua.ApiError].
type GoPanic struct {
	Value any
	Stack []byte
}

func (p *GoPanic) Error() string { return fmt.Sprint(p.Value) }

// Begin calls body as the body of the Go function mark, on a thread that runs nothing. It returns
// the error that body raises, or nil. The thread then runs nothing again, and has no values.
// [lua.LState.PCall] does the same, but needs more time than a short script.
func Begin(L *lua.LState, mark *lua.LFunction, body func(L *lua.LState)) (err *lua.ApiError) {
	s := look(L)
	first := &(*segment)(s.stack.stack.segments[0])[0]
	*first = frame{Fn: mark, LocalBase: 1}
	s.stack.stack.segSp = 1
	s.currentFrame = first
	s.reg.array[0], s.reg.top = mark, 1
	defer func() {
		err = raised(recover())
		stack := s.stack.stack
		clear(stack.segments[1 : stack.segIdx+1])
		stack.segIdx, stack.segSp = 0, 0
		s.currentFrame = nil
		clear(s.reg.array[:s.reg.top])
		s.reg.top = 0
	}()
	body(L)
	return nil
}

// Convert makes an error of Lua of a panic. A function that gopher-lua calls below the code of a
// pcall defers it: gopher-lua would write a stack trace for any other panic.
func Convert() {
	if err := raised(recover()); err != nil {
		panic(err)
	}
}

// raised returns the error of a panic with a value, or nil if the value is nil.
func raised(value any) *lua.ApiError {
	switch v := value.(type) {
	case nil:
		return nil
	case *lua.ApiError:
		return v
	}
	if value == overflow {
		return &lua.ApiError{Type: lua.ApiErrorError, Object: lua.LString("stack overflow"), StackTrace: NoTrace}
	}
	return &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString("panic"), StackTrace: NoTrace,
		Cause: &GoPanic{value, debug.Stack()}}
}
