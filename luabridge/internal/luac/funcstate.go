package luac

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// noJump (NO_JUMP) ends a jump list. No jump has this distance.
const noJump = -1

// noReg (NO_REG) is a register that no function has.
const noReg = 255

// Limits of the instructions' operands.
const (
	maxIndexRK     = 255 // the largest index; constants with larger ones are loaded into registers
	bitRK          = 256
	maxArgSBx      = 1<<17 - 1
	maxArgC        = 511 // the largest number of a SETLIST; larger ones are in the next word
	fieldsPerFlush = 50  // fields that a SETLIST stores
	multRet        = -1  // all values of a call or of ... (LUA_MULTRET)
)

// funcState is a function of the text that is being compiled.
type funcState struct {
	proto      *lua.FunctionProto
	prev       *funcState
	bl         *blockCnt
	c          *compiler
	base       int // index on the tape where its code begins
	lastTarget int // the last jump target
	jpc        int // list of jumps to the next instruction
	freeReg    int // the first free register
	maxStack   int // number of registers needed

	actVar   []int // indexes in proto.DbgLocals of the locals that are or will be in scope
	nActVar  int   // number of locals in scope; local i is in register i
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

// blockCnt is a scope, or a loop that break leaves.
type blockCnt struct {
	previous  *blockCnt
	breakable bool
	nActVar   int  // number of locals in scope before
	breakList int  // list of jumps out of the loop
	upval     bool // a closure uses one of its locals
}

func (fs *funcState) pc() int { return fs.c.code.n - fs.base }

// at returns the instruction at pc.
func (fs *funcState) at(pc int) *uint32 { return fs.c.code.at(fs.base + pc) }

// code appends an instruction.
func (fs *funcState) code(inst uint32) int {
	if fs.jpc != noJump {
		fs.patchListAux(fs.jpc, fs.pc(), noReg, fs.pc())
		fs.jpc = noJump
	}
	fs.c.code.push(inst, fs.c.Last)
	return fs.pc() - 1
}

func (fs *funcState) codeABC(op, a, b, c int) int {
	return fs.code(uint32(op)<<26 | uint32(a)<<18 | uint32(c)<<9 | uint32(b))
}

func (fs *funcState) codeABx(op, a, bx int) int {
	return fs.code(uint32(op)<<26 | uint32(a)<<18 | uint32(bx))
}

// fixLine changes the line of the last instruction.
func (fs *funcState) fixLine(line int) { *fs.c.code.line(fs.c.code.n - 1) = int32(line) }

func opcode(inst uint32) int { return int(inst >> 26) }
func argA(inst uint32) int   { return int(inst >> 18 & 0xff) }
func argB(inst uint32) int   { return int(inst & 0x1ff) }
func argC(inst uint32) int   { return int(inst >> 9 & 0x1ff) }

func (fs *funcState) setArgA(pc, a int) {
	*fs.at(pc) = *fs.at(pc)&^(0xff<<18) | uint32(a)<<18
}

func (fs *funcState) setArgB(pc, b int) { *fs.at(pc) = *fs.at(pc)&^0x1ff | uint32(b) }

func (fs *funcState) setArgC(pc, c int) {
	*fs.at(pc) = *fs.at(pc)&^(0x1ff<<9) | uint32(c)<<9
}

// codeNil (luaK_nil) sets n registers to nil. It emits nothing for registers that are nil when the
// function begins, and extends the last instruction if possible.
func (fs *funcState) codeNil(from, n int) {
	if fs.pc() > fs.lastTarget {
		if fs.pc() == 0 {
			if from >= fs.nActVar {
				return
			}
		} else if before := *fs.at(fs.pc() - 1); opcode(before) == lua.OP_LOADNIL && argA(before) <= from && from <= argB(before)+1 {
			if from+n-1 > argB(before) {
				fs.setArgB(fs.pc()-1, from+n-1)
			}
			return
		}
	}
	fs.codeABC(lua.OP_LOADNIL, from, from+n-1, 0)
}

// ret emits the return of n values from register first on; multRet: all that there are.
func (fs *funcState) ret(first, n int) { fs.codeABC(lua.OP_RETURN, first, n+1, 0) }

// jump emits a jump to an unknown place.
func (fs *funcState) jump() int {
	jpc := fs.jpc
	fs.jpc = noJump
	list := fs.codeABx(lua.OP_JMP, 0, noJump+maxArgSBx)
	fs.concat(&list, jpc) // jumps to this jump may go to its target
	return list
}

// getLabel returns the place of the next instruction, which a jump may have as its target.
func (fs *funcState) getLabel() int {
	fs.lastTarget = fs.pc()
	return fs.lastTarget
}

// fixJump sets the target of a jump.
func (fs *funcState) fixJump(pc, to int) {
	distance := to - (pc + 1)
	if distance < -maxArgSBx || distance > maxArgSBx {
		fs.c.SyntaxError("control structure too long")
	}
	*fs.at(pc) = *fs.at(pc)&^0x3ffff | uint32(distance+maxArgSBx)
}

// getJump returns the jump after another one in a list.
func (fs *funcState) getJump(pc int) int {
	distance := int(*fs.at(pc)&0x3ffff) - maxArgSBx
	if distance == noJump {
		return noJump
	}
	return pc + 1 + distance
}

// getJumpControl returns the instruction that decides whether a jump is taken: the one before, or
// the jump itself.
func (fs *funcState) getJumpControl(pc int) int {
	if pc >= 1 {
		switch opcode(*fs.at(pc - 1)) {
		case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET, lua.OP_TFORLOOP:
			return pc - 1
		}
	}
	return pc
}

// needValue reports whether some jump of a list does not leave a value in a register.
func (fs *funcState) needValue(list int) bool {
	for ; list != noJump; list = fs.getJump(list) {
		if opcode(*fs.at(fs.getJumpControl(list))) != lua.OP_TESTSET {
			return true
		}
	}
	return false
}

// patchTestReg makes the test before a jump put the tested value into a register; noReg: into
// none. It returns false if there is no such test.
func (fs *funcState) patchTestReg(pc, register int) bool {
	at := fs.getJumpControl(pc)
	inst := *fs.at(at)
	if opcode(inst) != lua.OP_TESTSET {
		return false
	}
	if register != noReg && register != argB(inst) {
		fs.setArgA(at, register)
	} else {
		*fs.at(at) = uint32(lua.OP_TEST)<<26 | uint32(argB(inst))<<18 | uint32(argC(inst))<<9
	}
	return true
}

// removeValues makes the tests of a list put their values into no register.
func (fs *funcState) removeValues(list int) {
	for ; list != noJump; list = fs.getJump(list) {
		fs.patchTestReg(list, noReg)
	}
}

// patchListAux sets the targets of a list: withValue for the jumps that leave their value in a
// register, without for the others.
func (fs *funcState) patchListAux(list, withValue, register, without int) {
	for list != noJump {
		next := fs.getJump(list)
		if fs.patchTestReg(list, register) {
			fs.fixJump(list, withValue)
		} else {
			fs.fixJump(list, without)
		}
		list = next
	}
}

// patchList sets the target of the jumps of a list.
func (fs *funcState) patchList(list, to int) {
	if to == fs.pc() {
		fs.patchToHere(list)
	} else {
		fs.patchListAux(list, to, noReg, to)
	}
}

// patchToHere makes the next instruction the target of the jumps of a list.
func (fs *funcState) patchToHere(list int) {
	fs.getLabel()
	fs.concat(&fs.jpc, list)
}

// concat joins two lists. It walks the shorter one. Lua walks the first one, which takes n² steps
// for a chain of n alternatives.
func (fs *funcState) concat(list *int, more int) {
	switch {
	case more == noJump:
		return
	case *list == noJump:
		*list = more
		return
	}
	for a, b := *list, more; ; {
		nextA, nextB := fs.getJump(a), fs.getJump(b)
		if nextB == noJump {
			fs.fixJump(b, *list)
			*list = more
			return
		}
		if nextA == noJump {
			fs.fixJump(a, more)
			return
		}
		a, b = nextA, nextB
	}
}

// reserveRegs allocates the next n registers.
func (fs *funcState) reserveRegs(n int) {
	fs.checkStack(n)
	fs.freeReg += n
}

// checkStack checks that there are n more registers.
func (fs *funcState) checkStack(n int) {
	if fs.freeReg+n <= fs.maxStack {
		return
	}
	if fs.maxStack = fs.freeReg + n; fs.maxStack >= maxRegisters {
		fs.c.SyntaxError("function or expression too complex")
	}
}

// freeRegister (freereg) frees the register of an operand that is not needed any more, unless it is
// a local or a constant.
func (fs *funcState) freeRegister(operand int) {
	if operand&bitRK == 0 && operand >= fs.nActVar {
		fs.freeReg--
	}
}

// addK appends a constant and returns its index.
func (fs *funcState) addK(v lua.LValue, size int) int {
	n := len(fs.proto.Constants)
	if n == maxConstants {
		syntax.Stop(ErrConstants)
	}
	fs.c.budget.take(constantSize + size)
	fs.proto.Constants = append(fs.proto.Constants, v)
	return n
}

// stringK returns the index of a string constant. The constant does not keep the source alive.
func (fs *funcState) stringK(s string) int {
	n, ok := fs.texts[s]
	if !ok {
		if fs.texts == nil {
			fs.texts = map[string]int{}
		}
		s = strings.Clone(s)
		n = fs.addK(lua.LString(s), len(s))
		fs.texts[s] = n
	}
	return n
}

// numberK returns the index of a number constant. 0 and -0 share one, which is the one that came
// first.
func (fs *funcState) numberK(v float64) int {
	n, ok := fs.numbers[v]
	if !ok {
		if fs.numbers == nil {
			fs.numbers = map[float64]int{}
		}
		n = fs.addK(lua.LNumber(v), 0)
		fs.numbers[v] = n
	}
	return n
}

// boolK returns the index of the constant false or true.
func (fs *funcState) boolK(v bool) int {
	if v {
		return fs.otherK(1, lua.LTrue)
	}
	return fs.otherK(0, lua.LFalse)
}

// nilK returns the index of the constant nil.
func (fs *funcState) nilK() int { return fs.otherK(2, lua.LNil) }

// otherK returns the index of a constant that others knows by i.
func (fs *funcState) otherK(i int, v lua.LValue) int {
	if fs.others[i] == 0 {
		fs.others[i] = fs.addK(v, 0) + 1
	}
	return fs.others[i] - 1
}
