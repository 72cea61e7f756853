package luabridge

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// Stack is the functions that a script is in the middle of. It may be used until the method of the [Debugger] that it was given to returns.
type Stack struct {
	vm   *VM
	l    *lua.LState
	line int // that is about to be run; 0: the one of the instruction

	begins bool
}

// Depth is how many functions of the script's own text are in progress: below the innermost, those that called it, through pcall and through the
// coroutines that were resumed.
func (s *Stack) Depth() int { return s.depth(math.MaxInt) }

// Deeper reports whether [Stack.Depth] is more than n. It looks at no more of the stack than it must.
func (s *Stack) Deeper(n int) bool { return s.depth(n+1) > n }

// depth is Depth, up to most.
func (s *Stack) depth(most int) (n int) {
	s.each(func(c machine.Call) bool {
		if fn := c.Function(); !fn.IsG && s.vm.script.debug[fn.Proto] != nil {
			n++
		}
		return n < most
	})
	return n
}

// each calls f with the functions in progress, the innermost first, until f gives false.
func (s *Stack) each(f func(c machine.Call) bool) {
	for c := machine.Innermost(s.l); ; c = c.Outer() {
		for c.IsZero() {
			below := s.vm.resumer(c.Thread())
			if below == nil {
				return
			}
			c = machine.Innermost(below)
		}
		switch c.Function() {
		case s.vm.entry:
			return
		case s.vm.guardEntry:
		default:
			if !f(c) {
				return
			}
		}
	}
}

// resumer is the thread that waits for another one; nil for that of the script itself.
func (vm *VM) resumer(L *lua.LState) *lua.LState {
	for i := len(vm.guarded) - 1; i >= 0; i-- {
		if vm.guarded[i].thread == L {
			return vm.guarded[i].caller
		}
	}
	return L.Parent
}

// Begins reports, in [Debugger.Line], whether the innermost function begins there: it was just called, or a tail call has put it in place of its caller.
func (s *Stack) Begins() bool { return s.begins }

// Line is the line that the innermost function of the script's own text is in, or is about to run; 0 where there is none.
func (s *Stack) Line() (line int) {
	if s.line > 0 {
		return s.line
	}
	s.each(func(c machine.Call) bool {
		if fn := c.Function(); !fn.IsG && s.vm.script.debug[fn.Proto] != nil {
			line = lineAt(fn.Proto, c.At())
		}
		return line == 0
	})
	return line
}

// Frames are the functions in progress, the innermost first: those of the script's text and library functions, through pcall and the
// coroutines that were resumed, down to the main chunk.
func (s *Stack) Frames() []Frame {
	var frames []Frame
	s.each(func(c machine.Call) bool {
		frames = append(frames, s.frame(c))
		return true
	})
	if len(frames) > 0 && s.line > 0 {
		frames[0].Line = s.line
	}
	return frames
}

// Globals is the table of the script's globals.
func (s *Stack) Globals() Value { return s.vm.value(s.vm.globals) }

// Raise raises an error in the script as redis.call raises an error reply with this text: a table with the field err, which a pcall may catch. It does not return.
func (s *Stack) Raise(text string) { s.vm.raise(s.l, errorTable(text, false)) }

// Abort ends the script: no pcall catches it. text is the error reply. It does not return.
func (s *Stack) Abort(text string) {
	s.vm.interrupt(&stopOrder{text: text})
	s.vm.mustRun(s.l)
}

// Frame is one function in progress.
type Frame struct {
	// Name is how the function was called, as Lua's errors tell it: "f" of f(), t.f() and t:f(). "" where that is not known, as for one that
	// pcall or a metamethod called, or that took the place of its caller; "main chunk" for that.
	Name    string
	How     string // what the name is: "global", "local", "upvalue", "field", "method" or ""
	Kind    FrameKind
	Line    int    // that is being run; 0: of a library function
	Defined int    // the line where the function begins; 0: the main chunk
	Chunk   string // what loadstring calls the text that the function stands in; "" the script's own
	Thread  int    // 0: the script's own; others: the coroutines in the order in which they were first seen

	stack *Stack
	call  machine.Call
}

// FrameKind says what kind of function a frame is of.
type FrameKind int

// The kinds of frames.
const (
	MainChunk FrameKind = iota
	LuaFunction
	LibraryFunction
)

func (s *Stack) frame(c machine.Call) Frame {
	f := Frame{stack: s, call: c, Kind: LibraryFunction, Thread: s.vm.threadNumber(c.Thread())}
	f.How, f.Name = s.vm.calledAs(c)
	fn := c.Function()
	if fn.IsG {
		return f
	}
	f.Kind, f.Defined, f.Line = LuaFunction, fn.Proto.LineDefined, lineAt(fn.Proto, c.At())
	if s.vm.script.debug[fn.Proto] == nil {
		f.Chunk = fn.Proto.SourceName
	} else if fn.Proto == s.vm.script.proto || fn.Proto == s.vm.script.steppedProto {
		f.Kind, f.Name, f.Defined = MainChunk, "main chunk", 0
	}
	return f
}

// lineAt is the line of an instruction; one that Lua does not have is on that of the last one before it.
func lineAt(p *lua.FunctionProto, pc int) int {
	for ; pc >= 0; pc-- {
		if line := p.DbgSourcePositions[pc]; line > 0 {
			return line
		}
	}
	return p.LineDefined
}

// calledAs tells by which name the caller knows a function.
func (vm *VM) calledAs(c machine.Call) (how, name string) {
	caller := c.Outer()
	if caller.IsZero() || caller.Function().IsG || c.Replaced() {
		return "", ""
	}
	p, pc := caller.Function().Proto, caller.At()
	o := vm.originOf(p)
	if o == nil || pc < 0 {
		return "", ""
	}
	switch int(p.Code[pc] >> 26) {
	case lua.OP_TFORLOOP:
		return "local", "(for generator)"
	case lua.OP_CALL, lua.OP_TAILCALL:
		how, name, _ = strings.Cut(o.site(p, pc).name(0), " ")
		return how, strings.TrimSuffix(strings.TrimPrefix(name, "'"), "'")
	}
	return "", ""
}

// originOf is what is known of a function of the script, or of a chunk that it compiled itself; nil of others.
func (vm *VM) originOf(p *lua.FunctionProto) *origin {
	if o := vm.script.debug[p]; o != nil {
		return o
	}
	return vm.loaded[p]
}

// threadNumber numbers the coroutines of a run. The threads of pcall belong to those that called it.
func (vm *VM) threadNumber(L *lua.LState) int {
	for i := len(vm.guarded) - 1; i >= 0; i-- {
		if vm.guarded[i].thread == L {
			L = vm.guarded[i].caller
		}
	}
	if L == vm.L {
		return 0
	}
	for i, th := range vm.threads {
		if th == L {
			return i + 1
		}
	}
	vm.threads = append(vm.threads, L)
	return len(vm.threads)
}
