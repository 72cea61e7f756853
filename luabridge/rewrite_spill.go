package luabridge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// spillFrom is how many locals of a function keep registers of their own. Lua lets a function have 200 locals and 50 registers
// above them; gopher-lua's 200 registers are for both. The locals after these are fields of a table, which a
// block makes when it is entered, so that closures share them, or do not, as they would share locals.
const spillFrom = 150

// spillMark begins the name of such a table.
const spillMark = "(spill)"

// spilled finds a name that is in scope as a field of a table; key is "" when it has a register, or is no local.
func (r *rewriter) spilled(name string) (table, key string) {
	for s := r.scope; s != nil; s = s.outer {
		if key := s.spilled[name]; key != "" {
			return s.spill, key
		}
		if slices.Contains(s.names, name) {
			break
		}
	}
	return "", ""
}

// spilledField is what stands for a use of a spilled local.
func (r *rewriter) spilledField(e *ast.IdentExpr, table, key string) ast.Expr {
	tb := ident(table, e)
	kind := "upvalue"
	if r.isOwnLocal(table) {
		kind = "local"
	}
	r.idents[tb] = kind + " '" + e.Value + "'" // what the field is called, see idents.describe
	return at(&ast.AttrGetExpr{Object: tb, Key: at(&ast.StringExpr{Value: key}, e)}, e)
}

func isSpill(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && strings.HasPrefix(id.Value, spillMark)
}

// spillingBlock is the rest of a block from the first statement whose locals are spilled.
func (r *rewriter) spillingBlock(out, stmts []ast.Stmt) []ast.Stmt {
	for _, s := range stmts {
		if local, ok := s.(*ast.LocalAssignStmt); ok {
			out = r.spill(out, local)
		} else {
			out = append(out, r.stmt(s))
		}
	}
	return out
}

// spill declares the names of a statement as spilled, and appends the statements that stand for it.
func (r *rewriter) spill(out []ast.Stmt, s *ast.LocalAssignStmt) []ast.Stmt {
	if r.scope.spill == "" {
		r.scope.spill, r.scope.spilled = spillMark+r.temp(), map[string]string{}
		r.declare(r.scope.spill)
		tb := at(&ast.TableExpr{}, s)
		out = append(out, at(&ast.LocalAssignStmt{Names: []string{r.scope.spill}, Exprs: []ast.Expr{tb}}, s))
	}
	declare := func() []ast.Expr {
		var fields []ast.Expr
		for _, name := range s.Names {
			r.scope.spilled[name] = r.temp() // new at each declaration: closures may hold one that is hidden now
			fields = append(fields, r.spilledField(ident(name, s), r.scope.spill, r.scope.spilled[name]))
		}
		return fields
	}
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok { // its name is in scope inside
			fields := declare()
			r.exprs(s.Exprs)
			return append(out, at(&ast.AssignStmt{Lhs: fields, Rhs: s.Exprs}, s))
		}
	}
	r.exprs(s.Exprs)
	fields := declare()
	switch {
	case len(s.Exprs) == 0: // the fields are nil
	case len(fields) == 1 && len(s.Exprs) == 1:
		out = append(out, at(&ast.AssignStmt{Lhs: fields, Rhs: []ast.Expr{adjust(s.Exprs[0])}}, s))
	default:
		tb := at(&ast.TableExpr{}, s) // its elements are the values
		for i, e := range s.Exprs {
			if i < len(s.Exprs)-1 {
				adjust(e)
			}
			tb.Fields = append(tb.Fields, &ast.Field{Value: e})
		}
		values := r.temp()
		do := at(&ast.DoBlockStmt{}, s)
		do.Stmts = append(do.Stmts, at(&ast.LocalAssignStmt{Names: []string{values}, Exprs: []ast.Expr{tb}}, s))
		for i, f := range fields {
			n := at(&ast.NumberExpr{Value: strconv.Itoa(i + 1)}, s)
			value := at(&ast.AttrGetExpr{Object: ident(values, s), Key: n}, s)
			do.Stmts = append(do.Stmts, at(&ast.AssignStmt{Lhs: []ast.Expr{f}, Rhs: []ast.Expr{value}}, s))
		}
		out = append(out, do)
	}
	return out
}
