package machine

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Lua's limits, as a script meets them.
const (
	maxNested = 199   // calls through library functions and metamethods within each other
	maxFailed = 224   // those of the handlers of that error among them
	maxFrames = 19999 // functions in progress
)

// FrameRoom is how many frames a thread must have room for at first. Its stack must be one that grows.
const FrameRoom = 8 * framesPerSegment

// Machine is the loop for all threads of one Lua state. It belongs to the goroutine of that state.
type Machine struct {
	// Attention, when it is set, makes the next turn of a loop or call begin with Attend.
	Attention *atomic.Bool
	// Attend looks what is wanted. It may end the script by raising an error.
	Attend func(L *lua.LState)
	// Budget limits the script's library functions.
	Budget *budget.Budget
	// OnError is put into every coroutine as its LState.Panic.
	OnError func(*lua.LState)
	// Next are the global next and the one that pairs hands out, Step is the one of ipairs: loops over them call nothing.
	Next [2]*lua.LFunction
	Step *lua.LFunction
	// Entries are Go functions that Lua has no counterpart of: they do not count as nesting.
	Entries [2]*lua.LFunction
	// Command is the Go function that is called most.
	Command Command
	// Refuse is the __newindex of tables that cannot be changed.
	Refuse lua.LValue
	// Refused is the error of assigning to one.
	Refused string
	// Blame raises the error that v, the operand n (from 0; -1: none of the instruction's), is no value to do what with.
	Blame func(L *lua.LState, what string, n int, v lua.LValue)

	boxes     boxes.Boxes
	nesting   Nesting
	globals   globals
	lines     *Lines
	own       func(*lua.LState, *frame)
	stock     func(*lua.LState, *frame)
	buf       []byte // scratch of concatenations
	allocated int    // bytes, since the budget was asked last; see allocate
	cursors   [8]tables.Cursor
}

// Command is a Go function that the loop can call without a frame of its own: redis.call.
type Command struct {
	Fn *lua.LFunction // nil: there is none
	// Direct does what Fn does with args, and gives the result if one is wanted. Where ok is false it has done nothing, and Fn is to be called; or, with
	// a value, it has failed with that.
	Direct func(L *lua.LState, args []lua.LValue, want bool) (v lua.LValue, ok bool)
	Raise  *lua.LFunction // raises its argument as Fn raises an error
}

// Nesting is how deep the running code is nested.
type Nesting struct {
	depth    int // runs of the loop within each other
	boundary int // those among them that the running coroutine cannot yield across
	frames   int // functions in progress on the threads below, up to the coroutine's first
}

// Install makes m run the code of a thread, which must have no context.
func (m *Machine) Install(L *lua.LState) {
	s := look(L)
	if m.own == nil {
		m.own, m.stock = m.run, s.mainLoop
	}
	s.mainLoop = m.own
}

// Nesting returns the nesting, for [Machine.Unwind].
func (m *Machine) Nesting() Nesting { return m.nesting }

// Depth is how many runs of the loop are within each other, which Lua counts as C calls.
func (n Nesting) Depth() int { return n.depth }

// Deeper is n with one more run of the loop.
func (n Nesting) Deeper() Nesting {
	n.depth++
	return n
}

// Unwind tells that a panic has ended everything that was nested deeper than n.
func (m *Machine) Unwind(n Nesting) { m.nesting = n }

// Deepen makes what runs next as deeply nested as n was, and reports whether there is room.
func (m *Machine) Deepen(n Nesting) bool {
	m.nesting.depth = max(m.nesting.depth, n.depth)
	return m.nesting.depth < maxFailed
}

// CanYield reports whether the running coroutine has nothing but Lua code between itself and its resume.
func (m *Machine) CanYield() bool { return m.nesting.boundary == 0 }

// Resume puts as many of the arguments of a coroutine's resume, which are L's values from the n-th on, on L's stack as the
// yield that they are the results of has to give.
func (m *Machine) Resume(L, th *lua.LState, n int) {
	cf := look(th).currentFrame
	if cf == nil || cf.Fn.IsG || cf.Pc == 0 {
		return // it begins only now
	}
	inst := cf.Fn.Proto.Code[cf.Pc-1]
	if want := int(inst>>9&0x1ff) - 1; int(inst>>26) == lua.OP_CALL && want >= 0 {
		L.SetTop(n - 1 + want)
	}
}

// CanResume reports whether another coroutine may begin to run within those that do.
func (m *Machine) CanResume() bool { return m.nesting.depth <= maxNested }

// Below tells that code on another thread than L begins to run, as if it went on top of L's.
func (m *Machine) Below(L *lua.LState) { m.nesting.frames += look(L).currentFrame.Idx + 1 }

// fail raises an error of the VM, with the position when the running function is a Lua function.
func fail(L *lua.LState, format string, a ...any) {
	L.Error(lua.LString(args.Where(L, 0)+fmt.Sprintf(format, a...)), 0)
}

// Room is how many values a thread's stack has grown to hold; it does not shrink.
func Room(L *lua.LState) int { return len(look(L).reg.array) }

// Footprint returns the approximate size of a thread in bytes, without its values.
func Footprint(L *lua.LState) int64 {
	s := look(L)
	frames := 0
	for _, segment := range s.stack.stack.segments {
		if segment != nil {
			frames += framesPerSegment
		}
	}
	return int64(unsafe.Sizeof(*s)) + 16*int64(cap(s.reg.array)) + 8*int64(cap(s.stack.stack.segments)) + int64(frames)*int64(unsafe.Sizeof(frame{}))
}

// Registers are the values on a thread's stack. They must not be changed.
func Registers(L *lua.LState) []lua.LValue {
	reg := look(L).reg
	return reg.array[:reg.top]
}

// Forget drops what the machine holds of the script's values.
func (m *Machine) Forget() {
	for i := range m.cursors {
		m.cursors[i].Forget()
	}
}

// run is what LState calls in place of its own loop. A thread that is resumed has no base.
func (m *Machine) run(L *lua.LState, base *frame) {
	before := m.nesting
	s := look(L)
	if s.currentFrame != nil {
		s.stack.stack.makeRoom(s.currentFrame.Idx)
	}
	if s.currentFrame != nil && (s.currentFrame.Fn == m.Entries[0] || s.currentFrame.Fn == m.Entries[1]) {
		m.stock(L, base)
		m.nesting = before
		return
	}
	m.nesting.depth++
	if base == nil {
		m.nesting.boundary, m.nesting.frames = 0, 0
		if L.Parent != nil {
			L.Panic = m.OnError
		}
	} else {
		m.nesting.boundary++
		m.limit(L, s)
	}
	if s.currentFrame == nil || s.currentFrame.Fn.IsG {
		m.stock(L, base)
	} else if m.lines != nil {
		m.debugLoop(L, base)
	} else {
		m.loop(L, base)
	}
	m.nesting = before
}

// limit ends a run that is nested too deep. Only the first that is gets a proper error, so that handlers
// of that error may run.
func (m *Machine) limit(L *lua.LState, s *state) {
	switch depth := m.nesting.depth; {
	case depth == maxNested+1:
		s.currentFrame = s.currentFrame.Parent // the complaint is about the caller
		fail(L, "C stack overflow")
	case depth > maxFailed:
		s.currentFrame = s.currentFrame.Parent
		L.Error(lua.LString("error in error handling"), 0)
	}
}
