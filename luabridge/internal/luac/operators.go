package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// arithmetic returns the opcode of an operator, or 0.
func arithmetic(op syntax.Kind) int {
	switch op {
	case '+':
		return lua.OP_ADD
	case '-':
		return lua.OP_SUB
	case '*':
		return lua.OP_MUL
	case '/':
		return lua.OP_DIV
	case '%':
		return lua.OP_MOD
	case '^':
		return lua.OP_POW
	}
	return 0
}

// comparison is the instruction for an operator: there is < for >, and == for ~=.
type comparison struct {
	op   int
	want int // the wanted result
	swap bool
}

var comparisons = map[syntax.Kind]comparison{
	syntax.Eq: {lua.OP_EQ, 1, false}, syntax.Ne: {lua.OP_EQ, 0, false},
	'<': {lua.OP_LT, 1, false}, syntax.Le: {lua.OP_LE, 1, false},
	'>': {lua.OP_LT, 1, true}, syntax.Ge: {lua.OP_LE, 1, true},
}

// conditional emits a test and the jump that depends on it.
func (f *function) conditional(op, a, b, c int) int {
	f.abc(op, a, b, c)
	return f.jump()
}

func (f *function) invert(e *operand) {
	at := f.decider(e.info)
	f.setA(at, 1-min(aOf(*f.at(at)), 1))
}

// jumpIf emits a jump that is taken if e is as wanted.
func (f *function) jumpIf(e *operand, want bool) int {
	c := 0
	if want {
		c = 1
	}
	if e.kind == open {
		if inst := *f.at(e.info); opOf(inst) == lua.OP_NOT {
			f.c.code.n--
			return f.conditional(lua.OP_TEST, bOf(inst), 0, 1-c)
		}
	}
	f.loadSomewhere(e)
	f.free1(e)
	return f.conditional(lua.OP_TESTSET, noRegister, e.info, c)
}

// goIfTrue emits the jump that is taken if e is false, if there is one, and returns it.
func (f *function) goIfTrue(e *operand) (jump int) {
	f.read(e)
	jump = noJump
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
	return jump
}

func (f *function) goIfFalse(e *operand) (jump int) {
	f.read(e)
	jump = noJump
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
	return jump
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

// fold computes an operation on numerals. It returns false if the operation must be left to the
// run.
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

// arith emits an operation on e and, if it has two operands, r.
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

func (f *function) prefix(op syntax.Kind, e *operand) {
	zero := made(numeral, 0)
	switch op {
	case '-':
		if !e.isNumeral() {
			f.anywhere(e)
		}
		f.arith(lua.OP_UNM, e, &zero)
	case syntax.Not:
		f.not(e)
	case '#':
		f.lend(e)
		f.anywhere(e)
		f.arith(lua.OP_LEN, e, &zero)
	}
}

// infix is called after the left side of an operator has been read.
func (f *function) infix(op syntax.Kind, e *operand) {
	switch op {
	case syntax.And:
		f.goIfTrue(e)
	case syntax.Or:
		f.goIfFalse(e)
	case syntax.Concat:
		f.push(e)
	default:
		if arithmetic(op) == 0 || !e.isNumeral() {
			f.operand(e)
		}
	}
}

// postfix is called after both sides of an operator have been read.
func (f *function) postfix(op syntax.Kind, e, r *operand) {
	switch op {
	case syntax.And:
		f.read(r)
		f.join(&r.ifFalse, e.ifFalse)
		*e = *r
	case syntax.Or:
		f.read(r)
		f.join(&r.ifTrue, e.ifTrue)
		*e = *r
	case syntax.Concat:
		f.value(r)
		if r.kind == open && opOf(*f.at(r.info)) == lua.OP_CONCAT {
			f.free1(e)
			f.setB(r.info, e.info)
			e.set(open, r.info)
		} else {
			f.push(r)
			f.arith(lua.OP_CONCAT, e, r)
		}
	default:
		if op := arithmetic(op); op != 0 {
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
