package luac

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// noJump ends a jump list. No jump has this distance.
const noJump = -1

// noRegister is a register that no function has.
const noRegister = 255

// Limits of the instructions' operands.
const (
	maxConstantOperand = 255 // the largest index; constants with larger ones are loaded into registers
	constantBit        = 256
	jumpBias           = 1<<17 - 1
	maxBatch           = 511 // the largest number of a batch; larger ones are in the next word
	batchSize          = 50
)

// function is a function of the text that is being compiled.
type function struct {
	proto  *lua.FunctionProto
	outer  *function
	block  *block
	c      *compiler
	base   int // index on the tape where its code begins
	target int // the last jump target
	here   int // list of jumps to the next instruction
	free   int // the first free register
	most   int // number of registers needed

	declared []int // indexes in proto.DbgLocals of the locals that are or will be in scope
	active   int   // number of locals in scope; local i is in register i
	upvalues []upvalue
	texts    map[string]int  // indexes of string constants
	numbers  map[float64]int // indexes of number constants; 0 and -0 are the same
	others   [3]int          // indexes of false, true and nil, plus 1; 0: none

	places *Places // nil: coverage is not counted
	point  int     // the instruction that the last point expects; 0 is that of the function's begin
}

// upvalue is the place of a variable of an outer function when a closure is made: a register, or an
// upvalue of the function around it.
type upvalue struct {
	local bool
	index int
}

// block is a scope, or a loop that break leaves.
type block struct {
	outer  *block
	loop   bool
	active int  // number of locals in scope before
	breaks int  // list of jumps out of the loop
	upval  bool // a closure uses one of its locals
}

func (f *function) pc() int { return f.c.code.n - f.base }

// at returns the instruction at pc.
func (f *function) at(pc int) *uint32 { return f.c.code.at(f.base + pc) }

// emit appends an instruction.
func (f *function) emit(inst uint32) int {
	if f.here != noJump {
		f.patch(f.here, f.pc(), noRegister, f.pc())
		f.here = noJump
	}
	f.c.code.push(inst, f.c.Last)
	return f.pc() - 1
}

func (f *function) abc(op, a, b, c int) int {
	return f.emit(uint32(op)<<26 | uint32(a)<<18 | uint32(c)<<9 | uint32(b))
}

func (f *function) abx(op, a, bx int) int {
	return f.emit(uint32(op)<<26 | uint32(a)<<18 | uint32(bx))
}

// fixLine changes the line of the last instruction.
func (f *function) fixLine(line int) { *f.c.code.line(f.c.code.n - 1) = int32(line) }

func opOf(inst uint32) int { return int(inst >> 26) }
func aOf(inst uint32) int  { return int(inst >> 18 & 0xff) }
func bOf(inst uint32) int  { return int(inst & 0x1ff) }
func cOf(inst uint32) int  { return int(inst >> 9 & 0x1ff) }

func (f *function) setA(pc, a int) {
	*f.at(pc) = *f.at(pc)&^(0xff<<18) | uint32(a)<<18
}

func (f *function) setB(pc, b int) { *f.at(pc) = *f.at(pc)&^0x1ff | uint32(b) }

func (f *function) setC(pc, c int) {
	*f.at(pc) = *f.at(pc)&^(0x1ff<<9) | uint32(c)<<9
}

// nils sets n registers to nil. It emits nothing for registers that are nil when the function
// begins, and extends the last instruction if possible.
func (f *function) nils(from, n int) {
	if f.pc() > f.target {
		if f.pc() == 0 {
			if from >= f.active {
				return
			}
		} else if before := *f.at(f.pc() - 1); opOf(before) == lua.OP_LOADNIL && aOf(before) <= from && from <= bOf(before)+1 {
			if from+n-1 > bOf(before) {
				f.setB(f.pc()-1, from+n-1)
			}
			return
		}
	}
	f.abc(lua.OP_LOADNIL, from, from+n-1, 0)
}

// jump emits a jump to an unknown place.
func (f *function) jump() int {
	here := f.here
	f.here = noJump
	list := f.abx(lua.OP_JMP, 0, noJump+jumpBias)
	f.join(&list, here) // jumps to this jump may go to its target
	return list
}

// label returns the place of the next instruction, which a jump may have as its target.
func (f *function) label() int {
	f.target = f.pc()
	return f.target
}

func (f *function) setDistance(pc, to int) {
	distance := to - (pc + 1)
	if distance < -jumpBias || distance > jumpBias {
		f.c.SyntaxError("control structure too long")
	}
	*f.at(pc) = *f.at(pc)&^0x3ffff | uint32(distance+jumpBias)
}

// following returns the jump after another one in a list.
func (f *function) following(pc int) int {
	distance := int(*f.at(pc)&0x3ffff) - jumpBias
	if distance == noJump {
		return noJump
	}
	return pc + 1 + distance
}

// decider returns the instruction that decides whether a jump is taken: the one before, or the jump
// itself.
func (f *function) decider(pc int) int {
	if pc >= 1 {
		switch opOf(*f.at(pc - 1)) {
		case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP:
			return pc - 1
		}
	}
	return pc
}

// needsValue reports whether some jump of a list does not leave a value in a register.
func (f *function) needsValue(list int) bool {
	for ; list != noJump; list = f.following(list) {
		if opOf(*f.at(f.decider(list))) != lua.OP_TESTSET {
			return true
		}
	}
	return false
}

// keepValue makes the test before a jump put the tested value into a register; noRegister: into
// none. It returns false if there is no such test.
func (f *function) keepValue(pc, register int) bool {
	at := f.decider(pc)
	inst := *f.at(at)
	if opOf(inst) != lua.OP_TESTSET {
		return false
	}
	if register != noRegister && register != bOf(inst) {
		f.setA(at, register)
	} else {
		*f.at(at) = uint32(lua.OP_TEST)<<26 | uint32(bOf(inst))<<18 | uint32(cOf(inst))<<9
	}
	return true
}

func (f *function) dropValues(list int) {
	for ; list != noJump; list = f.following(list) {
		f.keepValue(list, noRegister)
	}
}

// patch sets the targets of a list: withValue for the jumps that leave their value in a register,
// without for the others.
func (f *function) patch(list, withValue, register, without int) {
	for list != noJump {
		next := f.following(list)
		if f.keepValue(list, register) {
			f.setDistance(list, withValue)
		} else {
			f.setDistance(list, without)
		}
		list = next
	}
}

// lead sets the target of the jumps of a list.
func (f *function) lead(list, to int) {
	if to == f.pc() {
		f.leadHere(list)
	} else {
		f.patch(list, to, noRegister, to)
	}
}

func (f *function) leadHere(list int) {
	f.label()
	f.join(&f.here, list)
}

// join joins two lists. It walks the shorter one. Lua walks the first one, which takes n² steps for
// a chain of n alternatives.
func (f *function) join(list *int, more int) {
	switch {
	case more == noJump:
		return
	case *list == noJump:
		*list = more
		return
	}
	for a, b := *list, more; ; {
		nextA, nextB := f.following(a), f.following(b)
		if nextB == noJump {
			f.setDistance(b, *list)
			*list = more
			return
		}
		if nextA == noJump {
			f.setDistance(a, more)
			return
		}
		a, b = nextA, nextB
	}
}

// reserve allocates the next n registers.
func (f *function) reserve(n int) {
	f.room(n)
	f.free += n
}

// room checks that there are n more registers.
func (f *function) room(n int) {
	if f.free+n <= f.most {
		return
	}
	if f.most = f.free + n; f.most >= maxRegisters {
		f.c.SyntaxError("function or expression too complex")
	}
}

// release frees the register of an operand that is not needed any more, unless it is a local or a
// constant.
func (f *function) release(operand int) {
	if operand&constantBit == 0 && operand >= f.active {
		f.free--
	}
}

// constant appends a constant and returns its index.
func (f *function) constant(v lua.LValue, size int) int {
	n := len(f.proto.Constants)
	if n == maxConstants {
		syntax.Stop(ErrConstants)
	}
	f.c.budget.take(constantSize + size)
	f.proto.Constants = append(f.proto.Constants, v)
	return n
}

// text returns the index of a string constant. The constant does not keep the source alive.
func (f *function) text(s string) int {
	n, ok := f.texts[s]
	if !ok {
		if f.texts == nil {
			f.texts = map[string]int{}
		}
		s = strings.Clone(s)
		n = f.constant(lua.LString(s), len(s))
		f.texts[s] = n
	}
	return n
}

// number returns the index of a number constant. 0 and -0 share one, which is the one that came
// first.
func (f *function) number(v float64) int {
	n, ok := f.numbers[v]
	if !ok {
		if f.numbers == nil {
			f.numbers = map[float64]int{}
		}
		n = f.constant(lua.LNumber(v), 0)
		f.numbers[v] = n
	}
	return n
}

// other returns the index of the constant false, true or nil.
func (f *function) other(v lua.LValue) int {
	i := 2
	if b, ok := v.(lua.LBool); ok && bool(b) {
		i = 1
	} else if ok {
		i = 0
	}
	if f.others[i] == 0 {
		f.others[i] = f.constant(v, 0) + 1
	}
	return f.others[i] - 1
}
