package luabridge

import (
	"errors"

	lua "github.com/yuin/gopher-lua"
)

// Stack is the functions that a script is in the middle of. It may be used until the method of the [Debugger] that it was given to returns.
type Stack struct {
	vm *VM
	l  *lua.LState
}

// errUnbuilt marks what the contract promises and nobody has written yet.
var errUnbuilt = errors.New("unbuilt")

// Depth is how many functions of the script's own text are in progress: below the innermost, those that called it, through pcall and through the
// coroutines that were resumed.
func (s *Stack) Depth() int { panic(errUnbuilt) }

// Begins reports, in [Debugger.Line], whether the innermost function begins there: it was just called, or a tail call has put it in place of its caller.
func (s *Stack) Begins() bool { panic(errUnbuilt) }

// Frames are the functions in progress, the innermost first: those of the script's text and library functions, through pcall and the
// coroutines that were resumed, down to the main chunk.
func (s *Stack) Frames() []Frame { panic(errUnbuilt) }

// Globals is the table of the script's globals.
func (s *Stack) Globals() Value { panic(errUnbuilt) }

// Eval runs code where frame number level (0: the innermost) is: its locals, upvalues, varargs (...) and globals may be read and assigned to. An expression gives its
// values, a statement what it returns. A negative level sees globals only. The error's text is Lua's, with chunk as the name of the code. The script's own
// position does not change, nothing that the code does is told to the Debugger, and the limits of steps and memory hold.
func (s *Stack) Eval(level int, chunk, code string) ([]Value, error) { panic(errUnbuilt) }

// Raise raises an error in the script as redis.call raises an error reply with this text: a table with the field err, which a pcall may catch. It does not return.
func (s *Stack) Raise(text string) { panic(errUnbuilt) }

// Abort ends the script: no pcall catches it. text is the error reply. It does not return.
func (s *Stack) Abort(text string) { panic(errUnbuilt) }

// Frame is one function in progress.
type Frame struct {
	Name    string // how it was called, "" where unknown: "f", "t.f", "obj:m"; "main chunk"
	Kind    FrameKind
	Line    int // that is being run; 0: of a library function
	Defined int // the line where the function begins; 0: the main chunk
	Thread  int // 0: the script's own; others: the coroutines in the order in which they were first seen

	stack *Stack
}

// FrameKind says what kind of function a frame is of.
type FrameKind int

// The kinds of frames.
const (
	MainChunk FrameKind = iota
	LuaFunction
	LibraryFunction
)

// Variable is a local, an upvalue or one of the values of ... .
type Variable struct {
	Name  string // "(for index)" and the like are those of a loop; varargs are "...1", "...2"
	Value Value

	set func(Value)
}

// Set gives the variable another value.
func (v *Variable) Set(to Value) { v.set(to); v.Value = to }

// Locals are those in scope, in the order in which they were declared, with those of loops.
func (f *Frame) Locals() []Variable { panic(errUnbuilt) }

// Upvalues are the locals of outer functions that the function uses.
func (f *Frame) Upvalues() []Variable { panic(errUnbuilt) }

// Varargs are the values of "...".
func (f *Frame) Varargs() []Variable { panic(errUnbuilt) }
