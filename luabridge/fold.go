package luabridge

import (
	"math"
	"strconv"

	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

// notANumber are the values that no numeral is, by the global that the environment hides them under.
var notANumber = map[string]float64{
	aliasPrefix + "inf":  math.Inf(1),
	aliasPrefix + "-inf": math.Inf(-1),
	aliasPrefix + "nan":  math.Float64frombits(0x7ff8 << 48),
	aliasPrefix + "-nan": math.Float64frombits(0xfff8 << 48),
}

// fold computes % and ^ of constants: gopher-lua's compiler would, in its own way.
func fold(e *ast.ArithmeticOpExpr) ast.Expr {
	if e.Operator != "%" && e.Operator != "^" {
		return e
	}
	if f, ok := constantOf(e); ok {
		return numeral(f, e)
	}
	return e
}

func constantOf(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		f, err := strconv.ParseFloat(e.Value, 64)
		return f, err == nil || math.IsInf(f, 0)
	case *ast.IdentExpr:
		f, ok := notANumber[e.Value]
		return f, ok
	case *ast.UnaryMinusOpExpr:
		f, ok := constantOf(e.Expr)
		return -f, ok
	case *ast.ArithmeticOpExpr:
		a, ok := constantOf(e.Lhs)
		b, ok2 := constantOf(e.Rhs)
		if !ok || !ok2 {
			return 0, false
		}
		switch e.Operator {
		case "+":
			return a + b, true
		case "-":
			return a - b, true
		case "*":
			return a * b, true
		case "/":
			return a / b, true
		case "%":
			return numbers.Mod(a, b), true
		case "^":
			return numbers.Pow(a, b), true
		}
	}
	return 0, false
}

// numeral is an expression for a number.
func numeral(f float64, like ast.PositionHolder) ast.Expr {
	name := ""
	switch {
	case math.IsInf(f, 1):
		name = "inf"
	case math.IsInf(f, -1):
		name = "-inf"
	case math.IsNaN(f) && math.Signbit(f):
		name = "-nan"
	case math.IsNaN(f):
		name = "nan"
	}
	if name != "" {
		return ident(aliasPrefix+name, like)
	}
	n := at(&ast.NumberExpr{Value: strconv.FormatFloat(math.Abs(f), 'g', -1, 64)}, like)
	if math.Signbit(f) {
		return at(&ast.UnaryMinusOpExpr{Expr: n}, like)
	}
	return n
}
