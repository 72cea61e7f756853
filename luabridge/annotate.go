package luabridge

import (
	"strings"

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
	again       int        // the line where a loop decides whether to go on
	end         int        // the line of a function's end
	closed      int        // the line where a constructor is closed, of its last field
	before      int        // the line of a library whose field the instruction loads, if another
	test        int        // the line where the value is tested
	load        int        // the line where the value of a comparison is needed
	spill       bool       // a temporary that Lua does without
	unseen      bool       // Lua has no instruction for it
	stores      []int      // the lines of a constructor's fields with a key, in order: where Lua stores them
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
	tests, loads map[ast.Expr]int
	again        map[ast.Stmt]int
	before       map[*ast.IdentExpr]int
	scopes       scopes
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
	a.sites[s.Line()].again = a.again[s]
	a.stmtParts(s)
	a.scopes.declared(s, len(a.sites))
}

func (a *annotator) stmtParts(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		a.exprs(s.Lhs)
		a.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		a.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		a.expr(s.Expr)
	case *ast.DoBlockStmt:
		a.block(s.Stmts)
	case *ast.WhileStmt:
		a.expr(s.Condition)
		a.block(s.Stmts)
	case *ast.RepeatStmt:
		a.scopes.open(len(a.sites))
		a.stmts(s.Stmts)
		a.expr(s.Condition)
		a.scopes.close(len(a.sites))
	case *ast.IfStmt:
		a.expr(s.Condition)
		a.block(s.Then)
		a.block(s.Else)
	case *ast.NumberForStmt:
		a.expr(s.Init)
		a.expr(s.Limit)
		if s.Step != nil {
			a.expr(s.Step)
		}
		a.loop(s.Stmts, numericLoop, s.Name)
	case *ast.GenericForStmt:
		a.exprs(s.Exprs)
		a.loop(s.Stmts, genericLoop, s.Names...)
	case *ast.FuncDefStmt:
		a.expr(s.Name.Func)
		a.expr(s.Func)
	case *ast.ReturnStmt:
		a.exprs(s.Exprs)
	}
}

// unsee tells that Lua takes a constant or a local as an operand, where gopher-lua loads it first.
func (a *annotator) unsee(e ast.Expr) {
	switch e.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.UnaryMinusOpExpr:
		a.sites[e.Line()].unseen = true
	case *ast.IdentExpr:
		a.sites[e.Line()].spill = true
	}
}

func (a *annotator) expr(e ast.Expr) {
	a.exprParts(e)
	s := &a.sites[e.Line()]
	s.test, s.load = a.tests[e], a.loads[e]
}

func (a *annotator) exprParts(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		a.mark(e, a.describe(e.Object))
		a.scopes.uses(e)
		a.expr(e.Object)
		a.expr(e.Key)
		a.unsee(e.Key)
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
		end := e.LastLine()
		a.mark(e)
		a.sites[e.Line()].end = end
		a.scopes.function(e, len(a.sites))
		a.stmts(e.Stmts)
		a.scopes.end(len(a.sites))
	case *ast.IdentExpr:
		a.mark(e)
		a.sites[e.Line()].constant = a.hidden[e]
		a.sites[e.Line()].before = a.before[e]
		a.sites[e.Line()].spill = strings.HasPrefix(e.Value, "(t") || isSpill(e)
	default:
		a.mark(e)
	}
}

func (a *annotator) pair(e, l, r ast.Expr) {
	a.mark(e, a.describe(l), a.describe(r))
	a.expr(l)
	a.expr(r)
	if _, logical := e.(*ast.LogicalOpExpr); !logical {
		a.unsee(l)
		a.unsee(r)
	}
}

// table notes what Lua would know of a constructor; see site.fix.
func (a *annotator) table(e *ast.TableExpr) {
	closed := e.LastLine()
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
			a.unsee(f.Key)
		}
		a.expr(f.Value)
		if f.Key != nil {
			a.unsee(f.Value)
		}
	}
	if last != nil {
		a.sites[last.Line()].batch, a.sites[last.Line()].closed = c.batch, closed
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

type origin struct {
	sites   []*site                   // one for each instruction
	spilled map[string][]spilledLocal // by the name of a table that is an upvalue: those in it that are used
	locals  []local                   // in the order in which they were declared
	chunk   string                    // what chunkOf gives; "" in a script's own chunk
	stepped bool                      // the code is Lua's own, see stepped; sites is nil then
}

// settle puts the lines back and notes the sites.
func (a *annotator) settle(p *lua.FunctionProto, info debugInfo) {
	locals, spilled := a.scopes.settle(p)
	sites := make([]*site, len(p.DbgSourcePositions))
	pooled := map[lua.LValue]int{}
	clean := newNils(p)
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
			if s.spill {
				sites[pc] = &site{}
			}
		case s.self > 0 && int(p.Code[pc]>>26) == lua.OP_SELF:
			sites[pc] = &site{line: s.self, names: s.names}
		case s.unseen && isLoad(p.Code[pc]), (s.spill || s.table) && isMove(p.Code[pc]), clean.skips(p.Code, pc):
			sites[pc] = &site{}
		case s.closed > 0 && int(p.Code[pc]>>26) == lua.OP_SETLIST:
			sites[pc] = &site{line: s.closed, names: s.names, batch: s.batch}
		case s.load > 0 && int(p.Code[pc]>>26) == lua.OP_LOADBOOL:
			sites[pc] = &site{line: s.load}
		case s.test > 0 && isTest(p.Code[pc]):
			sites[pc] = &site{line: s.test, names: s.names}
		case s.again > 0 && isLoop(p.Code[pc]):
			sites[pc] = &site{line: s.again, names: s.names}
		case s.end > 0 && int(p.Code[pc]>>26) == lua.OP_CLOSURE:
			sites[pc] = &site{line: s.end}
		}
		p.DbgSourcePositions[pc] = sites[pc].line
		p.Code[pc] = sites[pc].fix(p.Code[pc])
	}
	if p.IsVarArg != 0 { // a tail call leaves the last register behind, which may be that of arg
		p.NumUsedRegisters = max(p.NumUsedRegisters, p.NumParameters+2)
	}
	p.LineDefined, p.LastLineDefined = a.at(p.LineDefined).line, a.at(p.LastLineDefined).line
	info[p] = &origin{sites: sites, locals: locals, spilled: spilled}
	for _, f := range p.FunctionPrototypes {
		a.settle(f, info)
	}
}

func isStore(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_SETTABLE || op == lua.OP_SETTABLEKS
}

func isLoad(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_LOADK || op == lua.OP_LOADNIL || op == lua.OP_LOADBOOL
}

func isMove(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_MOVE || op == lua.OP_MOVEN
}

func isTest(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_TEST || op == lua.OP_TESTSET
}

func isLoop(inst uint32) bool {
	op := int(inst >> 26)
	return op == lua.OP_FORLOOP || op == lua.OP_TFORLOOP
}

// at is the site with a number; the compiler counts one past the last for the end of the chunk.
func (a *annotator) at(id int) *site { return &a.sites[min(max(id, 0), len(a.sites)-1)] }

// nils knows which LOADNILs Lua does without: those of registers that are clean when a function begins, and those which it makes a part
// of the one before.
type nils struct {
	begin   bool // nothing has been run yet
	next    int  // the register that follows the last one
	targets map[int]bool
}

func newNils(p *lua.FunctionProto) *nils {
	n := &nils{begin: true, next: int(p.NumParameters), targets: map[int]bool{}}
	for pc, inst := range p.Code {
		switch int(inst >> 26) {
		case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP:
			n.targets[pc+1+int(inst&0x3ffff)-maxJump] = true
		}
	}
	return n
}

func (n *nils) skips(code []uint32, pc int) bool {
	if int(code[pc]>>26) != lua.OP_LOADNIL {
		n.begin = false
		n.next = -1
		return false
	}
	from, to := int(code[pc]>>18&0xff), int(code[pc]&0x1ff)
	skip := (n.begin && from >= n.next || n.next >= 0 && !n.begin && from == n.next) && !n.targets[pc]
	n.begin = n.begin && skip
	n.next = to + 1
	return skip
}
