package luac

import (
	lua "github.com/yuin/gopher-lua"
)

// noJump is the end of a jump list, and a distance that no jump has.
const noJump = -1

// noRegister is a register that no function has.
const noRegister = 255

// Limits of the instructions' operands.
const (
	maxConstantOperand = 255 // a constant beyond is loaded into a register first
	constantBit        = 256
	jumpBias           = 1<<17 - 1
	maxBatch           = 511 // a constructor's batch of elements beyond is told by the word that follows
	batchSize          = 50
	maxRegisters       = 250
	maxConstants       = 1 << 18
)

// function is one function of the text that is being compiled.
type function struct {
	proto  *lua.FunctionProto
	outer  *function
	block  *block
	lines  *int // where the text has been read to: the line of the token read last
	target int  // the last place that a jump leads to
	here   int  // the list of jumps that lead to the next instruction
	free   int  // the first register that holds nothing
	most   int  // how many registers there must be

	declared  []int // the locals in scope, and those that are about to be, by their number in proto.DbgLocals
	active    int   // how many of declared are in scope; each has the register of its place
	upvalues  []upvalue
	constants map[any]int
}

// upvalue is where a closure finds a variable of an outer function when it is made: in a register or among the upvalues of the function around it.
type upvalue struct {
	local bool
	index int
}

// block is a scope, or a loop that break leaves.
type block struct {
	outer  *block
	loop   bool
	active int  // how many locals were in scope before
	breaks int  // the list of the jumps out
	upval  bool // a closure has taken one of its locals
}

func newFunction(outer *function, name string, line int, lines *int) *function {
	return &function{
		proto: &lua.FunctionProto{SourceName: name, LineDefined: line},
		outer: outer, lines: lines, target: -1, here: noJump, most: 2, constants: map[any]int{},
	}
}

func (f *function) pc() int { return len(f.proto.Code) }

// emit appends an instruction.
func (f *function) emit(inst uint32) int {
	f.patch(f.here, f.pc(), noRegister, f.pc())
	f.here = noJump
	f.proto.Code = append(f.proto.Code, inst)
	f.proto.DbgSourcePositions = append(f.proto.DbgSourcePositions, *f.lines)
	return f.pc() - 1
}

func (f *function) abc(op, a, b, c int) int {
	return f.emit(uint32(op)<<26 | uint32(a)<<18 | uint32(c)<<9 | uint32(b))
}

func (f *function) abx(op, a, bx int) int {
	return f.emit(uint32(op)<<26 | uint32(a)<<18 | uint32(bx))
}

// fixLine puts another line to the last instruction.
func (f *function) fixLine(line int) { f.proto.DbgSourcePositions[f.pc()-1] = line }

func opOf(inst uint32) int { return int(inst >> 26) }
func aOf(inst uint32) int  { return int(inst >> 18 & 0xff) }
func bOf(inst uint32) int  { return int(inst & 0x1ff) }
func cOf(inst uint32) int  { return int(inst >> 9 & 0x1ff) }

func (f *function) setA(pc, a int) {
	f.proto.Code[pc] = f.proto.Code[pc]&^(0xff<<18) | uint32(a)<<18
}

func (f *function) setB(pc, b int) { f.proto.Code[pc] = f.proto.Code[pc]&^0x1ff | uint32(b) }

func (f *function) setC(pc, c int) {
	f.proto.Code[pc] = f.proto.Code[pc]&^(0x1ff<<9) | uint32(c)<<9
}

// nils makes n registers nil: not those that are so when a function begins, and by the instruction before where that can do it.
func (f *function) nils(from, n int) {
	if f.pc() > f.target {
		if f.pc() == 0 {
			if from >= f.active {
				return
			}
		} else if before := f.proto.Code[f.pc()-1]; opOf(before) == lua.OP_LOADNIL && aOf(before) <= from && from <= bOf(before)+1 {
			if from+n-1 > bOf(before) {
				f.setB(f.pc()-1, from+n-1)
			}
			return
		}
	}
	f.abc(lua.OP_LOADNIL, from, from+n-1, 0)
}

// jump emits a jump to a place that is not known yet.
func (f *function) jump() int {
	here := f.here
	f.here = noJump
	list := f.abx(lua.OP_JMP, 0, noJump+jumpBias)
	f.join(&list, here) // those that lead here may as well lead where this one does
	return list
}

// label is the place of the next instruction, which a jump may lead to.
func (f *function) label() int {
	f.target = f.pc()
	return f.target
}

func (f *function) setDistance(pc, to int) {
	distance := to - (pc + 1)
	if distance < -jumpBias || distance > jumpBias {
		panic(errTooLarge)
	}
	f.proto.Code[pc] = f.proto.Code[pc]&^0x3ffff | uint32(distance+jumpBias)
}

// following is the jump behind one of a list.
func (f *function) following(pc int) int {
	distance := int(f.proto.Code[pc]&0x3ffff) - jumpBias
	if distance == noJump {
		return noJump
	}
	return pc + 1 + distance
}

// decider is the instruction that decides whether a jump is taken: the one before, or the jump itself.
func (f *function) decider(pc int) int {
	if pc >= 1 {
		switch opOf(f.proto.Code[pc-1]) {
		case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP:
			return pc - 1
		}
	}
	return pc
}

// needsValue reports whether some jump of a list leaves no value behind.
func (f *function) needsValue(list int) bool {
	for ; list != noJump; list = f.following(list) {
		if opOf(f.proto.Code[f.decider(list)]) != lua.OP_TESTSET {
			return true
		}
	}
	return false
}

// keepValue makes the test before a jump leave the tested value in a register, or in none; false when it is no such test.
func (f *function) keepValue(pc, register int) bool {
	at := f.decider(pc)
	inst := f.proto.Code[at]
	if opOf(inst) != lua.OP_TESTSET {
		return false
	}
	if register != noRegister && register != bOf(inst) {
		f.setA(at, register)
	} else {
		f.proto.Code[at] = uint32(lua.OP_TEST)<<26 | uint32(bOf(inst))<<18 | uint32(cOf(inst))<<9
	}
	return true
}

func (f *function) dropValues(list int) {
	for ; list != noJump; list = f.following(list) {
		f.keepValue(list, noRegister)
	}
}

// patch lets the jumps of a list that leave their value in a register lead to one place, the others to another.
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

// lead lets the jumps of a list lead to a place.
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

// join appends a list to another.
func (f *function) join(list *int, more int) {
	switch {
	case more == noJump:
	case *list == noJump:
		*list = more
	default:
		last := *list
		for next := f.following(last); next != noJump; next = f.following(last) {
			last = next
		}
		f.setDistance(last, more)
	}
}

// reserve takes the next n registers.
func (f *function) reserve(n int) {
	f.room(n)
	f.free += n
}

// room makes sure that there are n more registers.
func (f *function) room(n int) {
	if f.most = max(f.most, f.free+n); f.most >= maxRegisters {
		panic(errTooLarge)
	}
}

// release gives back the register of a value that is used up, unless a local or constant holds it.
func (f *function) release(operand int) {
	if operand&constantBit == 0 && operand >= f.active {
		f.free--
	}
}

// constant is the number of a constant; key tells it from others of its type.
func (f *function) constant(key any, v lua.LValue) int {
	n, ok := f.constants[key]
	if !ok {
		n = len(f.proto.Constants)
		if n == maxConstants {
			panic(errTooLarge)
		}
		f.constants[key] = n
		f.proto.Constants = append(f.proto.Constants, v)
	}
	return n
}

func (f *function) text(s string) int { return f.constant(s, lua.LString(s)) }

// number is the number of a numeric constant. 0 and -0 are one, the one that came first.
func (f *function) number(v float64) int { return f.constant(v, lua.LNumber(v)) }
