package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
)

// priority is how tight an operator binds on its sides.
type priority struct{ left, right int }

var priorities = map[string]priority{
	"+": {6, 6}, "-": {6, 6}, "*": {7, 7}, "/": {7, 7}, "%": {7, 7}, "^": {10, 9}, "..": {5, 4},
	"~=": {3, 3}, "==": {3, 3}, "<": {3, 3}, "<=": {3, 3}, ">": {3, 3}, ">=": {3, 3},
	"and": {2, 2}, "or": {1, 1},
}

const unaryPriority = 8

var arithmetic = map[string]int{"+": lua.OP_ADD, "-": lua.OP_SUB, "*": lua.OP_MUL, "/": lua.OP_DIV, "%": lua.OP_MOD, "^": lua.OP_POW}

// comparison is how the machine compares: with < for >, and with == for ~=.
type comparison struct {
	op   int
	want int // what the comparison must give
	swap bool
}

var comparisons = map[string]comparison{
	"==": {lua.OP_EQ, 1, false}, "~=": {lua.OP_EQ, 0, false},
	"<": {lua.OP_LT, 1, false}, "<=": {lua.OP_LE, 1, false},
	">": {lua.OP_LT, 1, true}, ">=": {lua.OP_LE, 1, true},
}

// conditional emits a test and the jump that it decides on.
func (f *function) conditional(op, a, b, c int) int {
	f.abc(op, a, b, c)
	return f.jump()
}

func (f *function) invert(e *operand) {
	at := f.decider(e.info)
	f.setA(at, 1-min(aOf(f.proto.Code[at]), 1))
}

// jumpIf emits a jump that is taken when e is as wanted.
func (f *function) jumpIf(e *operand, want bool) int {
	c := 0
	if want {
		c = 1
	}
	if e.kind == open {
		if inst := f.proto.Code[e.info]; opOf(inst) == lua.OP_NOT {
			f.proto.Code, f.proto.DbgSourcePositions = f.proto.Code[:f.pc()-1], f.proto.DbgSourcePositions[:f.pc()-1]
			return f.conditional(lua.OP_TEST, bOf(inst), 0, 1-c)
		}
	}
	f.loadSomewhere(e)
	f.free1(e)
	return f.conditional(lua.OP_TESTSET, noRegister, e.info, c)
}

// goIfTrue emits the jumps that are taken when e is false.
func (f *function) goIfTrue(e *operand) {
	f.read(e)
	jump := noJump
	switch e.kind {
	case constant, numeral, trueValue:
	case compared:
		f.invert(e)
		jump = e.info
	default:
		jump = f.jumpIf(e, false)
	}
	f.join(&e.ifFalse, jump)
	f.leadHere(e.ifTrue)
	e.ifTrue = noJump
}

func (f *function) goIfFalse(e *operand) {
	f.read(e)
	jump := noJump
	switch e.kind {
	case nilValue, falseValue:
	case compared:
		jump = e.info
	default:
		jump = f.jumpIf(e, true)
	}
	f.join(&e.ifTrue, jump)
	f.leadHere(e.ifFalse)
	e.ifFalse = noJump
}

func (f *function) not(e *operand) {
	f.read(e)
	switch e.kind {
	case nilValue, falseValue:
		e.kind = trueValue
	case constant, numeral, trueValue:
		e.kind = falseValue
	case compared:
		f.invert(e)
	case open, settled:
		f.loadSomewhere(e)
		f.free1(e)
		e.set(open, f.abc(lua.OP_NOT, 0, e.info, 0))
	}
	e.ifTrue, e.ifFalse = e.ifFalse, e.ifTrue
	f.dropValues(e.ifFalse)
	f.dropValues(e.ifTrue)
}

// fold computes an operation on numerals; false: it is left to the run.
func fold(op int, e, r *operand) bool {
	if !e.isNumeral() || !r.isNumeral() {
		return false
	}
	a, b := e.number, r.number
	var v float64
	switch op {
	case lua.OP_ADD:
		v = a + b
	case lua.OP_SUB:
		v = a - b
	case lua.OP_MUL:
		v = a * b
	case lua.OP_DIV:
		v = a / b
	case lua.OP_MOD:
		v = numbers.Mod(a, b)
	case lua.OP_POW:
		v = numbers.Pow(a, b)
	case lua.OP_UNM:
		v = -a
	default:
		return false
	}
	if v != v || b == 0 && (op == lua.OP_DIV || op == lua.OP_MOD) {
		return false
	}
	e.number = v
	return true
}

// arith emits an operation on e and, when it has two operands, r.
func (f *function) arith(op int, e, r *operand) {
	if fold(op, e, r) {
		return
	}
	c := 0
	if op != lua.OP_UNM && op != lua.OP_LEN {
		c = f.operand(r)
	}
	b := f.operand(e)
	if b > c {
		f.free1(e)
		f.free1(r)
	} else {
		f.free1(r)
		f.free1(e)
	}
	e.set(open, f.abc(op, 0, b, c))
}

func (f *function) prefix(op string, e *operand) {
	zero := made(numeral, 0)
	switch op {
	case "-":
		if !e.isNumeral() {
			f.anywhere(e)
		}
		f.arith(lua.OP_UNM, e, &zero)
	case "not":
		f.not(e)
	case "#":
		f.anywhere(e)
		f.arith(lua.OP_LEN, e, &zero)
	}
}

// infix is called when the left side of an operator has been read.
func (f *function) infix(op string, e *operand) {
	switch op {
	case "and":
		f.goIfTrue(e)
	case "or":
		f.goIfFalse(e)
	case "..":
		f.push(e)
	default:
		if arithmetic[op] == 0 || !e.isNumeral() {
			f.operand(e)
		}
	}
}

// postfix is called when both sides of an operator have been read.
func (f *function) postfix(op string, e, r *operand) {
	switch op {
	case "and":
		f.read(r)
		f.join(&r.ifFalse, e.ifFalse)
		*e = *r
	case "or":
		f.read(r)
		f.join(&r.ifTrue, e.ifTrue)
		*e = *r
	case "..":
		f.value(r)
		if r.kind == open && opOf(f.proto.Code[r.info]) == lua.OP_CONCAT {
			f.free1(e)
			f.setB(r.info, e.info)
			e.set(open, r.info)
		} else {
			f.push(r)
			f.arith(lua.OP_CONCAT, e, r)
		}
	default:
		if op, ok := arithmetic[op]; ok {
			f.arith(op, e, r)
			return
		}
		c := comparisons[op]
		left, right := f.operand(e), f.operand(r)
		f.free1(r)
		f.free1(e)
		if c.swap {
			left, right = right, left
		}
		e.set(compared, f.conditional(c.op, c.want, left, right))
	}
}
