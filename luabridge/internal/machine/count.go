package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Counters hold how often the instructions of a function have run: two for each instruction, see
// luac.Places. The loop in count_loop.go counts. It is generated from the one in loop.go, which
// runs all code that is not counted.
type Counters struct {
	N       []uint64
	Touched bool // some of them may have changed
}

// Counted are the functions of a text that is counted. It belongs to the goroutine of the machine.
type Counted struct {
	functions map[*lua.FunctionProto]*Counters
	slots     [countedSlots]countedSlot // a cache in front of functions
}

const countedSlots = 16

type countedSlot struct {
	proto    *lua.FunctionProto
	counters *Counters
}

// Add makes c count a function.
func (c *Counted) Add(p *lua.FunctionProto) *Counters {
	if c.functions == nil {
		c.functions = map[*lua.FunctionProto]*Counters{}
	}
	n := &Counters{N: make([]uint64, 2*len(p.Code))}
	c.functions[p] = n
	return n
}

// Count makes m count the functions of c in code that begins to run from now on; nil: none.
func (m *Machine) Count(c *Counted) {
	m.counted = c
	m.watch()
}

// of returns the counters of a function, which is about to run. It returns nil if the function is
// not counted.
func (c *Counted) of(p *lua.FunctionProto) []uint64 {
	if c == nil {
		return nil
	}
	slot := &c.slots[uintptr(unsafe.Pointer(p))>>6%countedSlots]
	if slot.proto != p {
		*slot = countedSlot{p, c.functions[p]}
	}
	if slot.counters == nil {
		return nil
	}
	slot.counters.Touched = true
	return slot.counters.N
}

// count adds 1 to a counter. There are none for code that is not counted.
func count(counts []uint64, i int) {
	if i < len(counts) {
		counts[i]++
	}
}

// startsLoop reports whether the jump at pc, which leads to an instruction, begins a generic for.
func startsLoop(p *lua.FunctionProto, pc, to int) bool {
	return int(p.Code[to]>>26) == lua.OP_TFORLOOP && to+2+int(p.Code[to+1]&0x3ffff)-jumpBias == pc+1
}

// countStart counts how a generic for has begun: the loop at pc has gone on at to.
func countStart(counts []uint64, p *lua.FunctionProto, pc, to int) {
	if to != pc+2 {
		count(counts, 2*pc+1)
		return
	}
	prepare := pc + 2 + int(p.Code[pc+1]&0x3ffff) - jumpBias - 1
	count(counts, 2*prepare+1)
}

// countFor counts how the numeric for that the instruction at pc prepares is about to begin. v are
// its control values. FORLOOP computes the same.
func countFor(counts []uint64, pc int, inst uint32, v []lua.LValue) {
	init, limit, step := v[0].(lua.LNumber), v[1].(lua.LNumber), v[2].(lua.LNumber)
	i := init - step
	i += step
	if step > 0 && i <= limit || step <= 0 && i >= limit {
		pc += 1 + int(inst&0x3ffff) - jumpBias
	}
	count(counts, 2*pc+1)
}
