package luabridge

import "github.com/yuin/gopher-lua/ast"

// Lua finds the name of a value in a register by reading the code before it, taking every jump forward: of "a and b or
// c" it sees the test of a, whose jump leads to c, and calls the value c whatever it was. outcome is where a jump
// leads to; nil is the end of the whole expression, with the value that was tested.
type outcome struct {
	expr      ast.Expr
	no, yes   *outcome
	condition jump
}

// jump tells on what a part of an expression jumps.
type jump int8

const (
	never jump = iota // the last part: its value is that of the whole
	ifFalse
	ifTrue
)

// logical is what error texts call the value of "and" and "or".
func (ids idents) logical(e *ast.LogicalOpExpr) string {
	at := &outcome{expr: e}
	for at != nil {
		switch e := at.expr.(type) {
		case *ast.LogicalOpExpr:
			rest := &outcome{e.Rhs, at.no, at.yes, at.condition}
			if e.Operator == "and" {
				at = &outcome{e.Lhs, at.no, rest, ifFalse}
			} else {
				at = &outcome{e.Lhs, rest, at.yes, ifTrue}
			}
			continue
		case *ast.UnaryNotOpExpr:
			if at.condition == never {
				return ""
			}
			at = &outcome{e.Expr, at.yes, at.no, ifFalse + ifTrue - at.condition}
			continue
		}
		switch at.condition {
		case never:
			return ids.describe(at.expr)
		case ifFalse:
			at = at.no
		case ifTrue:
			at = at.yes
		}
	}
	return "" // the instruction that tests a value names nothing
}
