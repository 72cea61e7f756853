package luabridge

import (
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/internal/numbers"
)

// fold computes an operation on constants where Lua does: not a division by zero, and nothing that gives nan. Of
// those the left operand is hidden from the compiler, which leaves them to the run. What is computed when
// shows: Lua has one constant for 0 and -0 in a function, the one that comes first.
func (r *rewriter) fold(e *ast.ArithmeticOpExpr) ast.Expr {
	a, ok := numeral(e.Lhs)
	b, ok2 := numeral(e.Rhs)
	if !ok || !ok2 {
		return e
	}
	var f float64
	switch e.Operator {
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
	case "/":
		f = a / b
	case "%":
		f = numbers.Mod(a, b)
	case "^":
		f = numbers.Pow(a, b)
	}
	if f != f || b == 0 && (e.Operator == "/" || e.Operator == "%") {
		e.Lhs = r.unfolded(a, e.Lhs)
		return e
	}
	n := at(&ast.NumberExpr{Value: strconv.FormatFloat(math.Abs(f), 'g', -1, 64)}, e)
	if math.Signbit(f) {
		return at(&ast.UnaryMinusOpExpr{Expr: n}, e)
	}
	return n
}

// unfolded is a number that the compiler does not see: arithmetic with it is left to the run.
func (r *rewriter) unfolded(f float64, like ast.Expr) ast.Expr {
	return r.hidden.hide(lua.LNumber(f), like)
}

// hidden holds constants that gopher-lua's compiler sees as global variables. The instruction that
// would read the variable is changed to load the constant; see annotator.settle.
type hidden map[*ast.IdentExpr]lua.LValue

func (h hidden) hide(v lua.LValue, like ast.PositionHolder) ast.Expr {
	id := ident(aliasPrefix+"constant", like)
	h[id] = v
	return id
}

// jumps tells of a constant that "and" or "or" gave which jumps Lua makes to its place, though they are never
// taken: it does not compute further with such a value when it compiles. last is the operand that stands last.
type jumps struct {
	ifTrue, ifFalse bool
	last            ast.Expr
}

// join is what Lua makes of an operator whose left side is constant.
func (r *rewriter) join(e *ast.LogicalOpExpr) jumps {
	left, right := r.jumps[e.Lhs], r.jumps[e.Rhs]
	j := jumps{right.ifTrue, right.ifFalse, e.Rhs}
	if right.last != nil {
		j.last = right.last
	}
	last := e.Lhs
	if left.last != nil {
		last = left.last
	}
	truth, constant := truthOf(last)
	if e.Operator == "and" {
		j.ifFalse = j.ifFalse || left.ifFalse || !constant || !truth
	} else {
		j.ifTrue = j.ifTrue || left.ifTrue || !constant || truth
	}
	return j
}

// term rewrites an operand of an arithmetic operator.
func (r *rewriter) term(e ast.Expr) ast.Expr {
	e = r.operand(e)
	if f, ok := numeral(e); ok && r.jumps[e].last != nil {
		return r.unfolded(f, e)
	}
	return e
}

// zero is the sign of a function's zeros; the first one decides.
type zero int8

const (
	noZero zero = iota
	positiveZero
	negativeZero
)

// settle gives a zero that becomes a constant of the running function the sign of those before.
func (r *rewriter) settle(e ast.Expr) ast.Expr {
	f, ok := numeral(e)
	if !ok || f != 0 || r.jumps[e].last != nil {
		return e
	}
	s := r.scope
	for s.outer != nil && !s.function {
		s = s.outer
	}
	if s.zero == noZero {
		s.zero = positiveZero
		if math.Signbit(f) {
			s.zero = negativeZero
		}
	}
	n := at(&ast.NumberExpr{Value: "0"}, e)
	if s.zero == negativeZero {
		return at(&ast.UnaryMinusOpExpr{Expr: n}, e)
	}
	return n
}

// numeral is the value of a number that may have signs.
func numeral(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		f, err := strconv.ParseFloat(e.Value, 64)
		return f, err == nil
	case *ast.UnaryMinusOpExpr:
		f, ok := numeral(e.Expr)
		return -f, ok
	}
	return 0, false
}
