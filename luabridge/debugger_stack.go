package luabridge

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// Stack is the functions in progress. It may be used until the method of [Debugger] that received
// it returns.
type Stack struct {
	vm   *VM
	l    *lua.LState
	line int // the line about to be run; 0: that of the instruction

	begins bool
}

// Depth returns the number of functions of the script's own text in progress. It counts through
// pcall and through coroutines that were resumed.
func (s *Stack) Depth() int { return s.depth(math.MaxInt) }

// Deeper reports whether [Stack.Depth] is more than n. It reads no more of the stack than
// necessary.
func (s *Stack) Deeper(n int) bool { return s.depth(n+1) > n }

// depth is Depth, but at most most.
func (s *Stack) depth(most int) (n int) {
	s.each(func(c machine.Call) bool {
		if fn := c.Function(); !fn.IsG && s.vm.script.debug[fn.Proto] != nil {
			n++
		}
		return n < most
	})
	return n
}

// each calls f with the functions in progress, the innermost first, until f returns false.
func (s *Stack) each(f func(c machine.Call) bool) {
	for c := machine.Innermost(s.l); ; c = c.Outer() {
		for c.IsZero() {
			below := s.resumer(c.Thread())
			if below == nil {
				return
			}
			c = machine.Innermost(below)
		}
		switch c.Function() {
		case s.vm.common.entry:
			return
		case s.vm.common.guardEntry:
		default:
			if !f(c) {
				return
			}
		}
	}
}

// resumer returns the thread that waits for another one, or nil for the script's own thread.
func (s *Stack) resumer(L *lua.LState) *lua.LState {
	vm := s.vm
	for i := len(vm.guarded) - 1; i >= 0; i-- {
		if vm.guarded[i].thread == L {
			return vm.guarded[i].caller
		}
	}
	return L.Parent
}

// Begins reports, in [Debugger.Line], whether the innermost function begins there: it was just
// called, or a tail call has replaced its caller by it.
func (s *Stack) Begins() bool { return s.begins }

// Line returns the line that the innermost function of the script's own text is in or is about to
// run. It returns 0 if there is no such function.
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

// Frames returns the functions in progress, the innermost first, down to the main chunk. They
// include library functions, and reach through pcall and through coroutines that were resumed.
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

// Globals returns the table of the script's globals.
func (s *Stack) Globals() Value { return s.vm.value(s.vm.globals.Value) }

// Raise raises an error in the script, as redis.call raises an error reply with this text: a table
// with the field err. A pcall may catch it. Raise does not return.
func (s *Stack) Raise(text string) { s.vm.raise(s.l, s.vm.redis.Convert.ErrorTable(text, false)) }

// Abort ends the script with the error reply text. No pcall catches it. Abort does not return.
func (s *Stack) Abort(text string) {
	s.vm.limits.Interrupt(text)
	s.vm.limits.Check(s.l)
}

// Frame is a function in progress.
type Frame struct {
	// Name is how the function was called, as Lua's errors name it: "f" for f(), t.f() and t:f().
	// It is "" if the name is unknown, for example because pcall, a metamethod or a tail call
	// called the function. It is "main chunk" for the main chunk.
	Name    string
	How     string // kind of the name: "global", "local", "upvalue", "field", "method" or ""
	Kind    FrameKind
	Line    int    // the line being run; 0: a library function
	Defined int    // the line where the function begins; 0: the main chunk
	Chunk   string // name of the function's text as given to loadstring; "": the script's own text
	Thread  int    // 0: the script's own; coroutines are numbered in the order in which they were first seen

	stack *Stack
	call  machine.Call
}

// FrameKind is the kind of a frame's function.
type FrameKind int

// The kinds of frames.
const (
	MainChunk FrameKind = iota
	LuaFunction
	LibraryFunction
)

func (s *Stack) frame(c machine.Call) Frame {
	f := Frame{stack: s, call: c, Kind: LibraryFunction, Thread: s.vm.debug.threadNumber(c.Thread())}
	f.How, f.Name = s.calledAs(c)
	fn := c.Function()
	if fn.IsG {
		return f
	}
	f.Kind, f.Defined, f.Line = LuaFunction, fn.Proto.LineDefined, lineAt(fn.Proto, c.At())
	if s.vm.script.debug[fn.Proto] == nil {
		f.Chunk = fn.Proto.SourceName
	} else if fn.Proto == s.vm.script.proto {
		f.Kind, f.Name, f.Defined = MainChunk, "main chunk", 0
	} else if fn == s.vm.script.fn && !c.Outer().IsZero() && c.Outer().Function() == s.vm.common.entry {
		f.Name = s.vm.script.SHA // the function that FCALL has called
	}
	return f
}

// lineAt returns the line of an instruction. An instruction that Lua does not have is on the line
// of the last one before it.
func lineAt(p *lua.FunctionProto, pc int) int {
	for ; pc >= 0; pc-- {
		if line := p.DbgSourcePositions[pc]; line > 0 {
			return line
		}
	}
	return p.LineDefined
}

// calledAs returns the name by which the caller knows a function.
func (s *Stack) calledAs(c machine.Call) (how, name string) {
	caller := c.Outer()
	if caller.IsZero() || caller.Function().IsG || c.Replaced() {
		return "", ""
	}
	p, pc := caller.Function().Proto, caller.At()
	o := s.vm.originOf(p)
	if o == nil || pc < 0 {
		return "", ""
	}
	switch int(p.Code[pc] >> 26) {
	case lua.OP_TFORLOOP:
		return "local", "(for generator)"
	case lua.OP_CALL, lua.OP_TAILCALL:
		how, name, _ = strings.Cut(nameAt(luac.NamesOf(p, pc), 0), " ")
		return how, strings.TrimSuffix(strings.TrimPrefix(name, "'"), "'")
	}
	return "", ""
}

// originOf returns the origin of a function of the script, or of a text that it has compiled; nil
// for other functions.
func (vm *VM) originOf(p *lua.FunctionProto) *origin {
	if o := vm.script.debug[p]; o != nil {
		return o
	}
	return vm.chunks.loaded[p]
}

// threadNumber returns the number of a coroutine in this run. The threads of pcall belong to those
// that called it.
func (w *debugging) threadNumber(L *lua.LState) int {
	vm := w.vm
	for i := len(vm.guarded) - 1; i >= 0; i-- {
		if vm.guarded[i].thread == L {
			L = vm.guarded[i].caller
		}
	}
	if L == vm.L {
		return 0
	}
	for i, th := range w.threads {
		if th == L {
			return i + 1
		}
	}
	w.threads = append(w.threads, L)
	return len(w.threads)
}
