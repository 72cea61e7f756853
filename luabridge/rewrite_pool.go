package luabridge

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// directConstants is how many different constants of a function gopher-lua's compiler gets to see: it looks for each among all
// before it, so that 200,000 would take it minutes.
const directConstants = 2000

// pool hides the further constants of a function from the compiler. Each becomes a global variable, which is read by an
// instruction of its own; when all is compiled, that instruction is made to load the constant. See annotator.settle.
type pool struct {
	seen   map[string]bool // of the function at hand
	hidden hidden
}

// hidden are constants that the compiler does not see: it sees a global variable, and the instruction that would read that loads
// the constant.
type hidden map[*ast.IdentExpr]lua.LValue

func (h hidden) hide(v lua.LValue, like ast.PositionHolder) ast.Expr {
	id := ident(aliasPrefix+"constant", like)
	h[id] = v
	return id
}

func (p *pool) constant(key string, v lua.LValue, e ast.Expr) ast.Expr {
	if p.seen[key] {
		return e
	}
	if len(p.seen) < directConstants {
		p.seen[key] = true
		return e
	}
	return p.hidden.hide(v, e)
}

func (p *pool) function(stmts []ast.Stmt) {
	outer := p.seen
	p.seen = map[string]bool{}
	p.stmts(stmts)
	p.seen = outer
}

func (p *pool) stmts(ss []ast.Stmt) {
	for _, s := range ss {
		p.stmt(s)
	}
}

func (p *pool) exprs(es []ast.Expr) {
	for i := range es {
		es[i] = p.expr(es[i])
	}
}

func (p *pool) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		p.exprs(s.Lhs)
		p.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		p.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = p.expr(s.Expr)
	case *ast.DoBlockStmt:
		p.stmts(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = p.expr(s.Condition)
		p.stmts(s.Stmts)
	case *ast.RepeatStmt:
		p.stmts(s.Stmts)
		s.Condition = p.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = p.expr(s.Condition)
		p.stmts(s.Then)
		p.stmts(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = p.expr(s.Init), p.expr(s.Limit)
		if s.Step != nil {
			s.Step = p.expr(s.Step)
		}
		p.stmts(s.Stmts)
	case *ast.GenericForStmt:
		p.exprs(s.Exprs)
		p.stmts(s.Stmts)
	case *ast.FuncDefStmt:
		p.function(s.Func.Stmts)
	case *ast.ReturnStmt:
		p.exprs(s.Exprs)
	}
}

func (p *pool) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.NumberExpr:
		if f, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return p.constant("n"+e.Value, lua.LNumber(f), e)
		}
	case *ast.StringExpr:
		return p.constant("s"+e.Value, lua.LString(e.Value), e)
	case *ast.AttrGetExpr:
		e.Object, e.Key = p.expr(e.Object), p.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				f.Key = p.expr(f.Key)
			}
			f.Value = p.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = p.expr(e.Func)
		} else {
			e.Receiver = p.expr(e.Receiver)
		}
		p.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = p.expr(e.Lhs), p.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = p.expr(e.Lhs), p.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		e.Lhs, e.Rhs = p.expr(e.Lhs), p.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = p.expr(e.Lhs), p.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = p.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = p.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = p.expr(e.Expr)
	case *ast.FunctionExpr:
		p.function(e.Stmts)
	}
	return e
}
