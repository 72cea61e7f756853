package luabridge

import (
	"math"
	"strconv"

	"github.com/yuin/gopher-lua/ast"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

// fold computes % and ^ between constants, which the compiler would compute in its own way.
func fold(e *ast.ArithmeticOpExpr) ast.Expr {
	if e.Operator != "%" && e.Operator != "^" {
		return e
	}
	f, ok := constant(e)
	if !ok {
		return e
	}
	switch {
	case f != f:
		zero := at(&ast.NumberExpr{Value: "0"}, e)
		return at(&ast.ArithmeticOpExpr{Operator: "/", Lhs: zero, Rhs: zero}, e)
	case f == 0 && math.Signbit(f):
		return at(&ast.UnaryMinusOpExpr{Expr: at(&ast.NumberExpr{Value: "0"}, e)}, e)
	}
	return at(&ast.NumberExpr{Value: strconv.FormatFloat(f, 'g', -1, 64)}, e)
}

// constant is the value of an expression of numerals.
func constant(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		f, err := strconv.ParseFloat(e.Value, 64)
		return f, err == nil
	case *ast.UnaryMinusOpExpr:
		f, ok := constant(e.Expr)
		return -f, ok
	case *ast.ArithmeticOpExpr:
		a, ok := constant(e.Lhs)
		b, ok2 := constant(e.Rhs)
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
