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

// Lua's limits, as scripts meet them.
const (
	maxNested = 199   // nested calls through library functions and metamethods
	maxFailed = 224   // the same, including the handlers of that error
	maxFrames = 19999 // functions in progress
)

// FrameRoom is the number of frames for which a thread must have room at first. Its stack must be
// one that grows.
const FrameRoom = 8 * framesPerSegment

// registers is the number of registers of a thread at first.
const registers = 256

// Machine is the loop for all threads of one Lua state. It belongs to the goroutine of that state.
type Machine struct {
	// Attention makes the machine call Attend at the next loop or call.
	Attention *atomic.Bool
	// Attend serves what has set Attention. It may end the script by raising an error.
	Attend func(L *lua.LState)
	// Budget limits the script's library functions.
	Budget *budget.Budget
	// Hashing is how the tables of the code hash strings.
	Hashing tables.Hashing
	// OnError becomes LState.Panic of every coroutine.
	OnError func(*lua.LState)
	// Next holds the global next and the function that pairs returns, Step the one that ipairs
	// returns. Loops over them call nothing.
	Next [2]*lua.LFunction
	Step *lua.LFunction
	// Guard is the Go function below the function of a pcall. It has no counterpart in Lua and does
	// not count as a nested call.
	Guard *lua.LFunction
	// Command is the Go function that scripts call most.
	Command Command
	// Refuse is the __newindex of tables that scripts cannot change.
	Refuse lua.LValue
	// Refused is the error of assigning to such a table.
	Refused string
	// Blame raises the error that v, operand n of the instruction, has the wrong type for what. n
	// counts from 0; -1: v is not an operand.
	Blame func(L *lua.LState, what string, n int, v lua.LValue)

	boxes     boxes.Boxes
	nesting   Nesting
	globals   globals
	lines     *Lines   // of the debugger, or nil
	counted   *Counted // for coverage, or nil
	profile   *Profile // nil: nothing is measured
	watched   bool     // one of these three is set
	own       func(*lua.LState, *frame)
	stock     func(*lua.LState, *frame)
	buf       []byte // for concatenations; reused
	allocated int    // bytes since the last call of Budget.Ask; see allocate
	cursors   [8]tables.Cursor
	high      int // the highest top of a stack at a call, since the script began
}

// Command is a Go function that the loop can call without a frame of its own: redis.call.
type Command struct {
	Fn *lua.LFunction // nil: there is none
	// Direct does what Fn does with args, and returns the result if want is set. If ok is false and
	// v is nil, it has done nothing and Fn must be called. If ok is false and v is not nil, it has
	// failed with the error v.
	Direct func(L *lua.LState, args []lua.LValue, want bool) (v lua.LValue, ok bool)
	Raise  *lua.LFunction // raises its argument as Fn raises an error
}

// Nesting is the depth of nested code.
type Nesting struct {
	depth    int // nested runs of the loop
	boundary int // those that the running coroutine cannot yield across
	frames   int // functions in progress on the threads below, down to the coroutine's first
}

// Install makes m run the code of a thread. The thread must not have a context.
func (m *Machine) Install(L *lua.LState) {
	s := look(L)
	if m.own == nil {
		m.own, m.stock = m.run, s.mainLoop
	}
	s.mainLoop = m.own
	s.stack.stack.clear(true)
}

// Nesting returns the nesting, for [Machine.Unwind].
func (m *Machine) Nesting() Nesting { return m.nesting }

// Depth returns the number of nested runs of the loop, which Lua counts as C calls.
func (n Nesting) Depth() int { return n.depth }

// Deeper returns n with one more run of the loop.
func (n Nesting) Deeper() Nesting {
	n.depth++
	return n
}

// Unwind resets the nesting after a panic has ended everything that was nested deeper than n.
func (m *Machine) Unwind(n Nesting) { m.nesting = n }

// Deepen makes the code that runs next as deeply nested as n, and reports whether there is room.
func (m *Machine) Deepen(n Nesting) bool {
	m.nesting.depth = max(m.nesting.depth, n.depth)
	return m.nesting.depth < maxFailed
}

// CanYield reports whether there is only Lua code between the running coroutine and its resume.
func (m *Machine) CanYield() bool { return m.nesting.boundary == 0 }

// Resume puts the results of a coroutine's yield on L's stack: as many of the arguments of resume
// as the yield must return. The arguments are L's values from the n-th on.
func (m *Machine) Resume(L, th *lua.LState, n int) {
	cf := look(th).currentFrame
	if cf == nil || cf.Fn.IsG || cf.Pc == 0 {
		return // it has not begun
	}
	inst := cf.Fn.Proto.Code[cf.Pc-1]
	if want := int(inst>>9&0x1ff) - 1; int(inst>>26) == lua.OP_CALL && want >= 0 {
		L.SetTop(n - 1 + want)
	}
}

// CanResume reports whether one more coroutine may be resumed within those that run.
func (m *Machine) CanResume() bool { return m.nesting.depth <= maxNested }

// Below is called before code on another thread runs as if it were on top of L's stack.
func (m *Machine) Below(L *lua.LState) { m.nesting.frames += look(L).currentFrame.Idx + 1 }

// fail raises an error with a position if the running function is a Lua function.
func fail(L *lua.LState, format string, a ...any) {
	L.Error(lua.LString(args.Where(L, 0)+fmt.Sprintf(format, a...)), 0)
}

// Room returns the number of values that a thread's stack has room for. It does not shrink.
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
	return int64(unsafe.Sizeof(*s)) + 16*int64(cap(s.reg.array)) + 8*int64(cap(s.stack.stack.segments)) +
		int64(frames)*int64(unsafe.Sizeof(frame{}))
}

// Registers returns the values on a thread's stack. The caller must not change them.
func Registers(L *lua.LState) []lua.LValue {
	reg := look(L).reg
	return reg.array[:reg.top]
}

// Forget drops the machine's references to values of the script, which has ended on the thread L.
func (m *Machine) Forget(L *lua.LState) {
	for i := range m.cursors {
		m.cursors[i].Forget()
	}
	m.Clear(L)
	m.high = 0
}

// Clear drops what a thread that runs nothing still holds of the functions that it has run. When a
// function gets more arguments than it has registers, gopher-lua leaves the others above the top.
func (m *Machine) Clear(L *lua.LState) {
	s := look(L)
	clear(s.reg.array[:min(m.high, len(s.reg.array))])
	s.stack.stack.clear(false)
}

// Shrink gives back the room of a thread that runs nothing, unless a closure still uses a register.
func Shrink(L *lua.LState) {
	s := look(L)
	if s.uvcache != nil {
		return
	}
	reg := s.reg
	reg.array, reg.top = make([]lua.LValue, registers), 0
}

// run replaces the loop of LState. The base of a thread that is resumed is nil.
func (m *Machine) run(L *lua.LState, base *frame) {
	before := m.nesting
	s := look(L)
	if s.currentFrame != nil {
		s.stack.stack.makeRoom(s.currentFrame.Idx)
	}
	if s.currentFrame != nil && s.currentFrame.Fn == m.Guard {
		m.stock(L, base)
		m.nesting = before
		return
	}
	m.nesting.depth++
	if cf := s.currentFrame; cf != nil {
		m.high = max(m.high, cf.Base+1+cf.NArgs)
	}
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
	} else if m.watched {
		m.watchedRun(L, base)
	} else {
		m.loop(L, base)
	}
	m.nesting = before
}

// limit ends a run that is nested too deeply. Only the first such run gets a proper error, so that
// handlers of that error may run.
func (m *Machine) limit(L *lua.LState, s *state) {
	switch depth := m.nesting.depth; {
	case depth == maxNested+1:
		s.currentFrame = s.currentFrame.Parent // the error names the caller
		fail(L, "C stack overflow")
	case depth > maxFailed:
		s.currentFrame = s.currentFrame.Parent
		L.Error(lua.LString("error in error handling"), 0)
	}
}
