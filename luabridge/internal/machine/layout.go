package machine

import (
	"context"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// state mirrors lua.LState field by field.
type state struct {
	G       *lua.Global
	Parent  *lua.LState
	Env     *lua.LTable
	Panic   func(*lua.LState)
	Dead    bool
	Options lua.Options

	stop         int32
	reg          *registry
	stack        stackInterface
	alloc        unsafe.Pointer
	currentFrame *frame
	wrapped      bool
	uvcache      *lua.Upvalue
	hasErrorFunc bool
	mainLoop     func(*lua.LState, *frame)
	ctx          context.Context
	ctxCancelFn  context.CancelFunc
}

// stackInterface mirrors an interface value that holds a frameStack.
type stackInterface struct {
	_     unsafe.Pointer
	stack *frameStack
}

// frameStack mirrors gopher-lua's autoGrowingCallFrameStack, which states with MinimizeStackMemory
// have.
type frameStack struct {
	segments []unsafe.Pointer // of framesPerSegment frames each; nil: not allocated yet
	segIdx   uint16           // the segment of the last frame
	segSp    uint8            // number of its frames that are in use
}

const framesPerSegment = lua.FramesPerSegment

// makeRoom makes room for some more frames on a stack whose last frame has number i. gopher-lua
// would make room for all frames that there may ever be, which is 20 KB for a coroutine.
func (s *frameStack) makeRoom(i int) {
	const spare = 4
	if i/framesPerSegment+spare >= len(s.segments) {
		s.segments = append(s.segments, make([]unsafe.Pointer, len(s.segments)+spare)...)
	}
}

// segment is a part of a frameStack.
type segment [framesPerSegment]frame

// clear clears the frames above the last one, in its segment. gopher-lua leaves the frames of
// functions that have returned, which keep closures and all that those can reach, and it passes
// segments on to other threads, also to those of other states. If all is not set, the thread has
// got a clear segment, and has used its frames from the first on.
func (s *frameStack) clear(all bool) {
	frames := (*segment)(s.segments[s.segIdx])
	for i := int(s.segSp); i < len(frames); i++ {
		if frames[i].Fn == nil && !all {
			return
		}
		frames[i] = frame{}
	}
}

// registry mirrors gopher-lua's registry: the registers of all frames.
type registry struct {
	array  []lua.LValue
	top    int
	growBy int
	_      int               // maxSize
	_      unsafe.Pointer    // alloc
	_      [2]unsafe.Pointer // handler
}

// frame mirrors gopher-lua's callFrame.
type frame struct {
	Idx        int
	Fn         *lua.LFunction
	Parent     *frame
	Pc         int
	Base       int
	LocalBase  int
	ReturnBase int
	NArgs      int
	NRet       int
	TailCall   int
}

// Replaced reports whether a level of the stack is a call that a tail call has replaced. Lua counts
// such levels, but knows nothing about them. GetStack returns the lowest frame for them.
func Replaced(L *lua.LState, level int) bool {
	for f := look(L).currentFrame; level > 0 && f != nil; f = f.Parent {
		level--
		if !f.Fn.IsG {
			level -= f.TailCall
		}
	}
	return level < 0
}

// NextLine returns the first line after the one that the caller of the running function has
// reached, or 0.
func NextLine(L *lua.LState) int {
	f := look(L).currentFrame
	if f == nil || f.Parent == nil || f.Parent.Fn.IsG {
		return 0
	}
	f = f.Parent
	lines := f.Fn.Proto.DbgSourcePositions
	for pc := max(f.Pc, 1); pc < len(lines); pc++ {
		if lines[pc] != lines[f.Pc-1] && lines[pc] > 0 {
			return lines[pc]
		}
	}
	return 0
}

func look(L *lua.LState) *state { return (*state)(unsafe.Pointer(L)) }

// handlers are gopher-lua's own, by opcode. The loop ends if a handler returns 1.
//
//go:linkname handlers github.com/yuin/gopher-lua.jumpTable
var handlers [lua.OP_NOP + 1]func(*lua.LState, uint32, *frame) int
