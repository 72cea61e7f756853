package luabridge

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// site is a place in the source that instructions come from: its line, and how Lua's error texts call the
// values that it works on ("local 'x'", "field 'y'"; "" for those without a name).
type site struct {
	line  int
	names []string

	table       bool // array and hash are the sizes of a constructor
	array, hash int
	batch       int        // see constructor
	self        int        // the line of a method's name
	stores      []int      // the lines of a constructor's fields with a key, in order: where Lua stores them
	function    int        // the number of a function in its chunk; see luac.Function
	constant    lua.LValue // what the instruction is to load in place of a global
}

// annotator numbers the nodes of a chunk. While the chunk is compiled the numbers stand in the
// nodes' lines, which the compiler copies to each instruction; afterwards the instructions know
// their nodes, and the lines are put back.
type annotator struct {
	sites []site // by number; 0 is unused
	idents
	constructors map[*ast.TableExpr]constructor
	hidden       hidden
	numbers      map[*ast.FunctionExpr]int
}

// idents says how error texts call a variable.
type idents map[*ast.IdentExpr]string

func (ids idents) describe(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return ids[e]
	case *ast.AttrGetExpr:
		if isSpill(e.Object) {
			return ids[e.Object.(*ast.IdentExpr)]
		}
		if key, ok := e.Key.(*ast.StringExpr); ok {
			return "field '" + cString(key.Value) + "'"
		}
		return "field '?'"
	case *ast.LogicalOpExpr:
		return ids.logical(e)
	}
	return ""
}

func (ids idents) all(es []ast.Expr) []string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = ids.describe(e)
	}
	return names
}

func (a *annotator) mark(n ast.PositionHolder, names ...string) {
	line, last := n.Line(), n.LastLine()
	a.sites = append(a.sites, site{line: line, names: names})
	n.SetLine(len(a.sites) - 1)
	if last == line || last == 0 {
		n.SetLastLine(len(a.sites) - 1)
		return
	}
	a.sites = append(a.sites, site{line: last})
	n.SetLastLine(len(a.sites) - 1)
}

func (a *annotator) stmts(ss []ast.Stmt) {
	for _, s := range ss {
		a.stmt(s)
	}
}

func (a *annotator) exprs(es []ast.Expr) {
	for _, e := range es {
		a.expr(e)
	}
}

func (a *annotator) stmt(s ast.Stmt) {
	a.mark(s)
	switch s := s.(type) {
	case *ast.AssignStmt:
		a.exprs(s.Lhs)
		a.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		a.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		a.expr(s.Expr)
	case *ast.DoBlockStmt:
		a.stmts(s.Stmts)
	case *ast.WhileStmt:
		a.expr(s.Condition)
		a.stmts(s.Stmts)
	case *ast.RepeatStmt:
		a.stmts(s.Stmts)
		a.expr(s.Condition)
	case *ast.IfStmt:
		a.expr(s.Condition)
		a.stmts(s.Then)
		a.stmts(s.Else)
	case *ast.NumberForStmt:
		a.expr(s.Init)
		a.expr(s.Limit)
		if s.Step != nil {
			a.expr(s.Step)
		}
		a.stmts(s.Stmts)
	case *ast.GenericForStmt:
		a.exprs(s.Exprs)
		a.stmts(s.Stmts)
	case *ast.FuncDefStmt:
		a.expr(s.Name.Func)
		a.expr(s.Func)
	case *ast.ReturnStmt:
		a.exprs(s.Exprs)
	}
}

func (a *annotator) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		a.mark(e, a.describe(e.Object))
		a.expr(e.Object)
		a.expr(e.Key)
	case *ast.TableExpr:
		a.table(e)
	case *ast.FuncCallExpr:
		a.call(e)
	case *ast.LogicalOpExpr:
		a.pair(e, e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		a.pair(e, e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		a.pair(e, e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		a.concat(e)
	case *ast.UnaryMinusOpExpr:
		a.mark(e, a.describe(e.Expr))
		a.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		a.mark(e)
		a.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		a.mark(e, a.describe(e.Expr))
		a.expr(e.Expr)
	case *ast.FunctionExpr:
		a.mark(e)
		a.sites[e.Line()].function = a.numbers[e]
		a.stmts(e.Stmts)
	case *ast.IdentExpr:
		a.mark(e)
		a.sites[e.Line()].constant = a.hidden[e]
	default:
		a.mark(e)
	}
}

func (a *annotator) pair(e, l, r ast.Expr) {
	a.mark(e, a.describe(l), a.describe(r))
	a.expr(l)
	a.expr(r)
}

// table notes what Lua would know of a constructor; see site.fix.
func (a *annotator) table(e *ast.TableExpr) {
	a.mark(e)
	c := a.constructors[e]
	s := &a.sites[e.Line()]
	s.table, s.array, s.hash = true, c.array, c.hash
	for _, f := range e.Fields {
		if f.Key != nil {
			s.stores = append(s.stores, f.Key.LastLine())
		}
	}
	var last ast.Expr
	for _, f := range e.Fields {
		last = f.Value
		if f.Key != nil {
			last = f.Key
			a.expr(f.Key)
		}
		a.expr(f.Value)
	}
	if c.batch > 0 {
		a.sites[last.Line()].batch = c.batch
	}
}

// concat names the operands of a chain of the .. operator.
func (a *annotator) concat(e *ast.StringConcatOpExpr) {
	operands := []ast.Expr{e.Lhs}
	rest := e.Rhs
	for {
		more, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, more.Lhs)
		rest = more.Rhs
	}
	operands = append(operands, rest)
	a.mark(e, a.all(operands)...)
	a.exprs(operands)
}

// call names what is called and, for a method, its receiver.
func (a *annotator) call(e *ast.FuncCallExpr) {
	if e.Func == nil {
		self := e.LastLine()
		a.mark(e, "method '"+e.Method+"'", a.describe(e.Receiver))
		a.sites[e.Line()].self = self
		a.expr(e.Receiver)
	} else {
		a.mark(e, a.describe(e.Func))
		a.expr(e.Func)
	}
	a.exprs(e.Args)
}

// debugInfo tells of each function of a chunk where it comes from.
type debugInfo map[*lua.FunctionProto]*origin

// text is a chunk that a running script compiled, for example by loadstring.
type text struct{ source, name string }

type origin struct {
	sites   []*site // one for each instruction; nil where the code is Lua's own, see stepped
	stepped bool
	locals  []local // of such code, in the order in which they were declared
	chunk   string  // what chunkOf gives; "" in a script's own chunk
	number  int     // number of the function in its chunk; see luac.Function
	text    *text   // the chunk; nil: the script's own text
}

// settle puts the lines back and notes the sites.
func (a *annotator) settle(p *lua.FunctionProto, info debugInfo) {
	sites := make([]*site, len(p.DbgSourcePositions))
	pooled := map[lua.LValue]int{}
	for pc, id := range p.DbgSourcePositions {
		sites[pc] = a.at(id)
		switch s := sites[pc]; {
		case len(s.stores) > 0 && isStore(p.Code[pc]):
			sites[pc] = &site{line: s.stores[0]}
			s.stores = s.stores[1:]
		case s.constant != nil && int(p.Code[pc]>>26) == lua.OP_GETGLOBAL:
			at, ok := pooled[s.constant]
			if !ok {
				at = len(p.Constants)
				pooled[s.constant] = at
				p.Constants = append(p.Constants, s.constant)
			}
			p.Code[pc] = uint32(lua.OP_LOADK)<<26 | p.Code[pc]&(0xff<<18) | uint32(at)
		case s.self > 0 && int(p.Code[pc]>>26) == lua.OP_SELF:
			sites[pc] = &site{line: s.self, names: s.names}
		}
		p.DbgSourcePositions[pc] = sites[pc].line
		p.Code[pc] = sites[pc].fix(p.Code[pc])
	}
	if p.IsVarArg != 0 { // a tail call leaves the last register behind, which may be that of arg
		p.NumUsedRegisters = max(p.NumUsedRegisters, p.NumParameters+2)
	}
	number := 0
	if p.LineDefined > 0 {
		number = a.at(p.LineDefined).function
	}
	p.LineDefined, p.LastLineDefined = a.at(p.LineDefined).line, a.at(p.LastLineDefined).line
	trim(p)
	info[p] = &origin{sites: sites, number: number}
	for _, f := range p.FunctionPrototypes {
		a.settle(f, info)
	}
}

// trim gives back the room that gopher-lua's compiler makes for a long function: 20 KB.
func trim(p *lua.FunctionProto) {
	p.Code, p.DbgSourcePositions = slices.Clone(p.Code), slices.Clone(p.DbgSourcePositions)
	p.Constants, p.FunctionPrototypes = slices.Clone(p.Constants), slices.Clone(p.FunctionPrototypes)
	p.DbgCalls, p.DbgLocals, p.DbgUpvalues = slices.Clone(p.DbgCalls), slices.Clone(p.DbgLocals), slices.Clone(p.DbgUpvalues)
}

func isStore(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_SETTABLE || op == lua.OP_SETTABLEKS
}

// at is the site with a number; the compiler counts one past the last for the end of the chunk.
func (a *annotator) at(id int) *site { return &a.sites[min(max(id, 0), len(a.sites)-1)] }
