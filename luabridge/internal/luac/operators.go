package luac

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
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

// condJump emits a test and the jump that depends on it.
func (fs *funcState) condJump(op, a, b, c int) int {
	fs.codeABC(op, a, b, c)
	return fs.jump()
}

// invertJump makes a comparison jump if it would not, and the other way round.
func (fs *funcState) invertJump(e *expDesc) {
	at := fs.getJumpControl(e.info)
	fs.setArgA(at, 1-min(argA(*fs.at(at)), 1))
}

// jumpOnCond emits a jump that is taken if e is as wanted.
func (fs *funcState) jumpOnCond(e *expDesc, want bool) int {
	c := 0
	if want {
		c = 1
	}
	if e.kind == vRelocable {
		if inst := *fs.at(e.info); opcode(inst) == lua.OP_NOT {
			fs.c.code.n--
			return fs.condJump(lua.OP_TEST, argB(inst), 0, 1-c)
		}
	}
	fs.discharge2AnyReg(e)
	fs.freeExp(e)
	return fs.condJump(lua.OP_TESTSET, noReg, e.info, c)
}

// goIfTrue emits the jump that is taken if e is false, if there is one, and returns it.
func (fs *funcState) goIfTrue(e *expDesc) (jump int) {
	fs.dischargeVars(e)
	jump = noJump
	switch e.kind {
	case vK, vKNum, vTrue:
	case vJmp:
		fs.invertJump(e)
		jump = e.info
	default:
		jump = fs.jumpOnCond(e, false)
	}
	fs.concat(&e.f, jump)
	fs.patchToHere(e.t)
	e.t = noJump
	return jump
}

// goIfFalse emits the jump that is taken if e is true, if there is one, and returns it.
func (fs *funcState) goIfFalse(e *expDesc) (jump int) {
	fs.dischargeVars(e)
	jump = noJump
	switch e.kind {
	case vNil, vFalse:
	case vJmp:
		jump = e.info
	default:
		jump = fs.jumpOnCond(e, true)
	}
	fs.concat(&e.t, jump)
	fs.patchToHere(e.f)
	e.f = noJump
	return jump
}

// codeNot turns e into its negation.
func (fs *funcState) codeNot(e *expDesc) {
	fs.dischargeVars(e)
	switch e.kind {
	case vNil, vFalse:
		e.kind = vTrue
	case vK, vKNum, vTrue:
		e.kind = vFalse
	case vJmp:
		fs.invertJump(e)
	case vRelocable, vNonReloc:
		fs.discharge2AnyReg(e)
		fs.freeExp(e)
		e.set(vRelocable, fs.codeABC(lua.OP_NOT, 0, e.info, 0))
	}
	e.t, e.f = e.f, e.t
	fs.removeValues(e.f)
	fs.removeValues(e.t)
}

// constFolding computes an operation on numerals. It returns false if the operation must be left to
// the run.
func constFolding(op int, e, r *expDesc) bool {
	if !e.isNumeral() || !r.isNumeral() {
		return false
	}
	a, b := e.nval, r.nval
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
	e.nval = v
	return true
}

// codeArith emits an operation on e and, if it has two operands, r.
func (fs *funcState) codeArith(op int, e, r *expDesc) {
	if constFolding(op, e, r) {
		return
	}
	c := 0
	if op != lua.OP_UNM && op != lua.OP_LEN {
		c = fs.exp2RK(r)
	}
	b := fs.exp2RK(e)
	if b > c {
		fs.freeExp(e)
		fs.freeExp(r)
	} else {
		fs.freeExp(r)
		fs.freeExp(e)
	}
	e.set(vRelocable, fs.codeABC(op, 0, b, c))
}

// prefix is called after the operand of a prefix operator has been read.
func (fs *funcState) prefix(op syntax.Kind, e *expDesc) {
	zero := initExp(vKNum, 0)
	switch op {
	case '-':
		if !e.isNumeral() {
			fs.exp2AnyReg(e)
		}
		fs.codeArith(lua.OP_UNM, e, &zero)
	case syntax.Not:
		fs.codeNot(e)
	case '#':
		fs.lend(e)
		fs.exp2AnyReg(e)
		fs.codeArith(lua.OP_LEN, e, &zero)
	}
}

// infix is called after the left side of an operator has been read.
func (fs *funcState) infix(op syntax.Kind, e *expDesc) {
	switch op {
	case syntax.And:
		fs.goIfTrue(e)
	case syntax.Or:
		fs.goIfFalse(e)
	case syntax.Concat:
		fs.exp2NextReg(e)
	default:
		if arithmetic(op) == 0 || !e.isNumeral() {
			fs.exp2RK(e)
		}
	}
}

// postfix is called after both sides of an operator have been read.
func (fs *funcState) postfix(op syntax.Kind, e, r *expDesc) {
	switch op {
	case syntax.And:
		fs.dischargeVars(r)
		fs.concat(&r.f, e.f)
		*e = *r
	case syntax.Or:
		fs.dischargeVars(r)
		fs.concat(&r.t, e.t)
		*e = *r
	case syntax.Concat:
		fs.exp2Val(r)
		if r.kind == vRelocable && opcode(*fs.at(r.info)) == lua.OP_CONCAT {
			fs.freeExp(e)
			fs.setArgB(r.info, e.info)
			e.set(vRelocable, r.info)
		} else {
			fs.exp2NextReg(r)
			fs.codeArith(lua.OP_CONCAT, e, r)
		}
	default:
		if op := arithmetic(op); op != 0 {
			fs.codeArith(op, e, r)
			return
		}
		fs.codeComp(comparisons[op], e, r)
	}
}

// codeComp emits a comparison, and the jump that depends on it.
func (fs *funcState) codeComp(c comparison, e, r *expDesc) {
	left, right := fs.exp2RK(e), fs.exp2RK(r)
	fs.freeExp(r)
	fs.freeExp(e)
	if c.swap {
		left, right = right, left
	}
	e.set(vJmp, fs.condJump(c.op, c.want, left, right))
}
