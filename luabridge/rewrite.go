package luabridge

import (
	"fmt"
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// rewriter changes a chunk's AST before gopher-lua compiles it:
//
//   - what its compiler turns into wrong code without a word (the comments below say
//     what), into a form that it compiles right;
//   - an assignment to a global into one that the read-only environment refuses;
//   - a library function such as redis.call into one global of its own, which spares a lookup and keeps
//     the library tables free of checks.
//
// It replays Lua's scopes, for only a name that is no local is a global. Names that it invents hold a
// character that no identifier has.
type rewriter struct {
	scope *scope
	temps int
	jumps map[ast.Expr]jumps // of constants that "and" or "or" gave
	traits
	idents
	constructors map[*ast.TableExpr]constructor
	hidden       hidden
	iterator     *ast.FuncCallExpr // which the generic for at hand calls for what it goes through
}

type scope struct {
	outer    *scope
	names    []string
	params   int  // how many of names are parameters
	function bool // the body of a function
	zero     zero // of a function

	spill   string            // the local that holds the table of spilled locals, or ""
	spilled map[string]string // their fields in it
}

func (r *rewriter) open(function bool) {
	r.scope = &scope{outer: r.scope, function: function}
}

func (r *rewriter) close() { r.scope = r.scope.outer }

func (r *rewriter) declare(names ...string) { r.scope.names = append(r.scope.names, names...) }

func (r *rewriter) isLocal(name string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if slices.Contains(s.names, name) || s.spilled[name] != "" {
			return true
		}
	}
	return false
}

// isParam reports whether name may be a parameter of the function being compiled.
func (r *rewriter) isParam(name string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if i := slices.Index(s.names, name); i >= 0 {
			return i < s.params
		}
		if s.function {
			return false
		}
	}
	return false
}

// isOwnLocal reports whether name is a local of the function being compiled, not an upvalue.
func (r *rewriter) isOwnLocal(name string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if slices.Contains(s.names, name) {
			return true
		}
		if s.function {
			return false
		}
	}
	return false
}

func (r *rewriter) temp() string {
	r.temps++
	return fmt.Sprintf("(t%d)", r.temps)
}

// at gives a new node the lines of an old one.
func at[N ast.PositionHolder](n N, like ast.PositionHolder) N {
	n.SetLine(like.Line())
	n.SetLastLine(like.LastLine())
	return n
}

func ident(name string, like ast.PositionHolder) *ast.IdentExpr {
	return at(&ast.IdentExpr{Value: name}, like)
}

func (r *rewriter) block(stmts []ast.Stmt) []ast.Stmt {
	for i, s := range stmts {
		if local, ok := s.(*ast.LocalAssignStmt); ok && r.locals()+len(local.Names) > spillFrom {
			return r.spillingBlock(slices.Clone(stmts[:i]), stmts[i:])
		}
		stmts[i] = r.stmt(s)
	}
	return stmts
}

func (r *rewriter) scoped(stmts []ast.Stmt, names ...string) []ast.Stmt {
	r.open(false)
	r.declare(names...)
	stmts = r.block(stmts)
	r.close()
	return stmts
}

func (r *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assign(s)
	case *ast.LocalAssignStmt:
		if len(s.Names) == 1 && len(s.Exprs) == 1 {
			if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok { // its name is in scope inside
				r.declare(s.Names...)
				r.exprs(s.Exprs)
				return s
			}
		}
		r.exprs(s.Exprs)
		r.declare(s.Names...)
	case *ast.FuncCallStmt:
		s.Expr = r.callStmt(s.Expr.(*ast.FuncCallExpr))
	case *ast.DoBlockStmt:
		s.Stmts = r.scoped(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		s.Stmts = loopBody(r.scoped(s.Stmts), s)
	case *ast.RepeatStmt:
		r.open(false)
		s.Stmts = loopBody(r.block(s.Stmts), s)
		s.Condition = r.expr(s.Condition) // sees the body's locals
		r.close()
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		s.Then = r.scoped(s.Then)
		s.Else = r.scoped(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		s.Stmts = loopBody(r.scoped(s.Stmts, s.Name), s)
	case *ast.GenericForStmt:
		return r.genericFor(s)
	case *ast.FuncDefStmt:
		r.funcDef(s)
	case *ast.ReturnStmt:
		s.Exprs = r.narrow(s.Exprs, s)
		r.exprs(s.Exprs)
	}
	return s
}

// callStmt is a call whose results are dropped.
func (r *rewriter) callStmt(call *ast.FuncCallExpr) ast.Expr {
	call.AdjustRet = false
	r.call(call)
	return call
}

func (r *rewriter) funcDef(s *ast.FuncDefStmt) {
	s.Name.Func = r.target(s.Name.Func)
	r.function(s.Func)
}

func (r *rewriter) function(f *ast.FunctionExpr) {
	r.open(true)
	r.declare(f.ParList.Names...)
	if f.ParList.HasVargs {
		for i, name := range f.ParList.Names {
			if name == "arg" { // Lua's own arg hides it
				f.ParList.Names[i] = "(arg)"
			}
		}
		r.declare("arg")
	}
	r.scope.params = len(r.scope.names)
	f.Stmts = r.block(f.Stmts)
	r.close()
}

// target rewrites what stands left of an assignment. A global gets a name that is never there: Redis lets
// scripts neither make globals nor change them.
func (r *rewriter) target(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if table, key := r.spilled(e.Value); key != "" {
			return r.spilledField(e, table, key)
		}
		if !r.isLocal(e.Value) {
			return ident(newGlobal+e.Value, e)
		}
	case *ast.AttrGetExpr:
		if !r.reads(e.Object) {
			e.Object = r.expr(e.Object)
		}
		e.Key = r.expr(e.Key)
	}
	return e
}

// assign rewrites an assignment. gopher-lua compiles a right side straight into the
// register of the local on the left, so that "a, b = b, a" reads what it has just written
// (gopher-lua #440), and so do and/or, and a call in parentheses when the local is a parameter.
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	for i := range s.Lhs {
		s.Lhs[i] = r.target(s.Lhs[i])
	}
	r.exprs(s.Rhs)
	get, ok := s.Lhs[0].(*ast.AttrGetExpr)
	misplaced := ok && constantObject(get) // the compiler takes the constant's number for a register
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 && !r.clobbers(s.Lhs[0], s.Rhs[0]) && !misplaced {
		return s
	}
	do := at(&ast.DoBlockStmt{}, s)
	for i, lhs := range s.Lhs {
		r.freeze(do, lhs, s.Lhs[i+1:])
	}
	names := make([]string, len(s.Lhs))
	for i := range names {
		names[i] = r.temp()
	}
	do.Stmts = append(do.Stmts, at(&ast.LocalAssignStmt{Names: names, Exprs: s.Rhs}, s))
	for i := len(names) - 1; i >= 0; i-- { // Lua assigns from the right
		do.Stmts = append(do.Stmts, at(&ast.AssignStmt{
			Lhs: []ast.Expr{s.Lhs[i]}, Rhs: []ast.Expr{ident(names[i], s)},
		}, s))
	}
	return do
}

// constantObject reports whether the compiler knows what a target is a field of: a constant, or a negative number.
func constantObject(get *ast.AttrGetExpr) bool {
	_, number := numeral(get.Object)
	return number || isConstant(get.Object)
}

// freeze evaluates the table and key of a target before the right side. Lua does not copy a local for this, unless
// the local is itself among the targets after this one.
func (r *rewriter) freeze(do *ast.DoBlockStmt, lhs ast.Expr, after []ast.Expr) {
	get, ok := lhs.(*ast.AttrGetExpr)
	if !ok {
		return
	}
	assigned := func(name string) bool {
		return slices.ContainsFunc(after, func(e ast.Expr) bool {
			id, ok := e.(*ast.IdentExpr)
			return ok && id.Value == name
		})
	}
	hold := func(e *ast.Expr) {
		switch e := (*e).(type) {
		case *ast.IdentExpr:
			if r.isOwnLocal(e.Value) && !assigned(e.Value) {
				return
			}
		}
		name := r.temp()
		do.Stmts = append(do.Stmts, at(&ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{*e}}, *e))
		held := ident(name, *e)
		r.idents[held] = r.describe(*e)
		*e = held
	}
	hold(&get.Object)
	if !isConstant(get.Key) {
		hold(&get.Key)
	}
}

func isConstant(e ast.Expr) bool {
	switch e.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr:
		return true
	}
	return false
}

func (r *rewriter) clobbers(lhs, rhs ast.Expr) bool {
	id, ok := lhs.(*ast.IdentExpr)
	if !ok || !r.isOwnLocal(id.Value) {
		return false
	}
	switch e := rhs.(type) {
	case *ast.LogicalOpExpr:
		return true
	case *ast.Comma3Expr:
		return e.AdjustRet
	case *ast.FuncCallExpr:
		return e.AdjustRet && r.isParam(id.Value)
	}
	return false
}

// genericFor gives the loop three plain values: gopher-lua leaves the control variable as it was when the list
// has two (#514), and drops the results of a call in the last place.
func (r *rewriter) genericFor(s *ast.GenericForStmt) ast.Stmt {
	if len(s.Exprs) == 1 {
		r.iterator, _ = s.Exprs[0].(*ast.FuncCallExpr)
	}
	r.exprs(s.Exprs)
	s.Stmts = loopBody(r.scoped(s.Stmts, s.Names...), s)
	if len(s.Exprs) == 1 {
		if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && !call.AdjustRet {
			if _, nested := call.Func.(*ast.FuncCallExpr); !nested { // else the inner call gives as many values as the outer should
				return s
			}
		}
	}
	names := []string{r.temp(), r.temp(), r.temp()}
	list := at(&ast.LocalAssignStmt{Names: names, Exprs: s.Exprs}, s)
	s.Exprs = nil
	for _, name := range names {
		s.Exprs = append(s.Exprs, ident(name, s))
	}
	if len(s.Names) < 3 { // the compiler counts the names, not the values
		s.Names = append(s.Names, r.temp(), r.temp())[:3]
	}
	return at(&ast.DoBlockStmt{Stmts: []ast.Stmt{list, s}}, s)
}

// loopBody keeps a body from beginning with a jump: the compiler follows jumps to jumps, and takes one
// that is already resolved, as one at the beginning of a loop is, for a label.
func loopBody(body []ast.Stmt, loop ast.PositionHolder) []ast.Stmt {
	if len(body) == 0 || !beginsWithJump(body[0]) {
		return body
	}
	pad := at(&ast.LocalAssignStmt{Names: []string{"(pad)"}, Exprs: []ast.Expr{at(&ast.NilExpr{}, loop)}}, loop)
	pad = at(pad, body[0])
	return append([]ast.Stmt{at(&ast.DoBlockStmt{Stmts: []ast.Stmt{pad}}, body[0])}, body...)
}

func beginsWithJump(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BreakStmt, *ast.GotoStmt, *ast.LabelStmt:
		return true
	case *ast.IfStmt:
		return constantFirst(s.Condition) || len(s.Then) == 0
	case *ast.WhileStmt:
		return constantFirst(s.Condition) || len(s.Stmts) == 0 || beginsWithJump(s.Stmts[0])
	case *ast.RepeatStmt:
		return len(s.Stmts) == 0 || beginsWithJump(s.Stmts[0])
	case *ast.DoBlockStmt:
		return len(s.Stmts) == 0 || beginsWithJump(s.Stmts[0])
	}
	return false
}

// constantFirst reports whether a condition begins with a value that needs no instruction.
func constantFirst(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr:
		return true
	case *ast.UnaryNotOpExpr:
		return constantFirst(e.Expr)
	case *ast.LogicalOpExpr:
		return constantFirst(e.Lhs)
	}
	return false
}
