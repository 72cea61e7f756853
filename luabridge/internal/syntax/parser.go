package syntax

import (
	"errors"
	"fmt"
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// Limits of Lua 5.1 as Redis builds it.
const (
	maxLocals   = 200
	maxUpvalues = 60
	maxLevels   = 200

	maxRegisters = 250
	tableBatch   = 50 // elements of a constructor that wait in registers until they are stored together
)

// parser follows the structure of Lua's own: one function for each rule, one token ahead.
type parser struct {
	Lexer
	branches  int                 // nested branches that an elseif has begun
	height    int                 // height of the expression parsed last
	functions []*ast.FunctionExpr // in the order in which they begin
	peak      int                 // height of the tallest expression so far in the current function
	fn        *function
	depth     int

	// pending is the variable or field that was parsed last, as long as Lua would not have emitted the
	// instruction that reads it: that comes when the value is needed, and has the line of the token before.
	pending ast.Expr
}

// function is what the parser keeps of a function: names are kept to enforce limits and to
// know ..., not to resolve them.
type function struct {
	outer    *function
	line     int // 0: the main chunk
	vararg   bool
	locals   []string // in scope now
	upvalues map[string]bool
	texts    map[string]bool  // constants, and names of globals and fields
	numbers  map[float64]bool // constants
	loops    int

	// temps is how many registers above the locals hold values that wait for others: the arguments before, the function
	// that is going to be called.
	temps int
}

// ErrLarge is the error of [Parse] for a chunk whose tree would be too high for recursive
// functions, or which has a function with too many constants.
var ErrLarge = errors.New("syntax: the tree of the chunk is too large")

const (
	// maxHeight limits the height of the tree, because functions recurse over it. Syntax levels,
	// which Lua limits, are not included.
	maxHeight = 1000
	// maxConstants is the number of constants that an instruction can name. gopher-lua finds each
	// constant by a linear search.
	maxConstants = 256
)

// Parse parses a chunk. depth is the number of C calls in progress, to which Lua adds the syntax
// levels. The error is an *[Error] or ErrLarge.
//
// functions are the functions in the chunk, in the order in which they begin.
func Parse(source, name string, depth int) (chunk []ast.Stmt, functions []*ast.FunctionExpr, err error) {
	p := &parser{Lexer: NewLexer(source, name, nil), depth: depth}
	defer p.Recover(&err)
	p.fn = &function{vararg: true}
	p.Next()
	stmts := p.chunk()
	p.Check(EOS)
	return stmts, p.functions, nil
}

// rise records the height of the expression parsed last.
func (p *parser) rise(height int) {
	p.height, p.peak = height, max(p.peak, height)
	if height > maxHeight {
		Stop(ErrLarge)
	}
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxLevels {
		p.Fail("chunk has too many syntax levels", 0)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) limit(fn *function, n, most int, what string) {
	if n <= most {
		return
	}
	if fn.line == 0 {
		p.Fail(fmt.Sprintf("main function has more than %d %s", most, what), 0)
	}
	p.Fail(fmt.Sprintf("function at line %d has more than %d %s", fn.line, most, what), 0)
}

func (p *parser) declare(names ...string) {
	p.fn.locals = append(p.fn.locals, names...)
	p.limit(p.fn, len(p.fn.locals), maxLocals, "local variables")
}

// reserve takes a register for the expression parsed last.
func (p *parser) reserve() {
	p.read()
	if p.fn.temps++; len(p.fn.locals)+p.fn.temps >= maxRegisters {
		p.SyntaxError("function or expression too complex")
	}
}

// reserveLast takes a register for the last of a list of values; a call has one already.
func (p *parser) reserveLast(es []ast.Expr) {
	if call, ok := es[len(es)-1].(*ast.FuncCallExpr); !ok || call.AdjustRet {
		p.reserve()
	}
}

// hold takes a register for the left operand of an operator, unless the instruction can name it where it is.
func (p *parser) hold(e ast.Expr) {
	switch e := e.(type) {
	case *ast.NumberExpr, *ast.StringExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr:
		return
	case *ast.IdentExpr:
		if slices.Contains(p.fn.locals, e.Value) {
			return
		}
	}
	p.reserve()
}

// constant records a constant of the current function: a number if number is set, else a string.
func (p *parser) constant(text string, number bool) {
	f := p.fn
	if f.texts == nil {
		f.texts, f.numbers = map[string]bool{}, map[float64]bool{}
	}
	if number {
		f.numbers[p.Token.Number] = true
	} else {
		f.texts[text] = true
	}
	if len(f.texts)+len(f.numbers) > maxConstants {
		Stop(ErrLarge)
	}
}

// release gives back all registers but the first n.
func (p *parser) release(n int) { p.fn.temps = n }

// use notes a name that is read or written, for the limit on upvalues.
func (p *parser) use(name string) {
	has := func(f *function) bool {
		for i := len(f.locals) - 1; i >= 0; i-- {
			if f.locals[i] == name {
				return true
			}
		}
		return f.upvalues[name]
	}
	owner := p.fn
	for owner != nil && !has(owner) {
		owner = owner.outer
	}
	if owner == nil {
		p.constant(name, false)
		return
	}
	for f := p.fn; f != owner; f = f.outer {
		if f.upvalues == nil {
			f.upvalues = map[string]bool{}
		}
		f.upvalues[name] = true
		p.limit(f, len(f.upvalues), maxUpvalues, "upvalues")
	}
}

// at gives a node a line.
func at[N ast.PositionHolder](n N, line int) N {
	n.SetLine(line)
	n.SetLastLine(line)
	return n
}

// span gives a statement the lines it begins and ends at.
func span[N ast.PositionHolder](n N, first, last int) N {
	n.SetLine(first)
	n.SetLastLine(last)
	return n
}

// read notes that the value of the expression parsed last is needed now.
func (p *parser) read() {
	if p.pending != nil {
		p.pending.SetLine(p.Last)
		p.pending = nil
	}
}

func (p *parser) chunk() []ast.Stmt {
	stmts := []ast.Stmt{}
	p.enter()
	for last := false; !last && !p.BlockEnds(); {
		var s ast.Stmt
		s, last = p.statement()
		stmts = append(stmts, s)
		p.Accept(';')
	}
	p.leave()
	return stmts
}

// block is a chunk with a scope of its own.
func (p *parser) block() []ast.Stmt {
	n := len(p.fn.locals)
	stmts := p.chunk()
	p.fn.locals = p.fn.locals[:n]
	return stmts
}

func (p *parser) loopBlock() []ast.Stmt {
	p.fn.loops++
	stmts := p.block()
	p.fn.loops--
	return stmts
}

// statement parses one; last is set when nothing may follow it in its block.
func (p *parser) statement() (s ast.Stmt, last bool) {
	line := p.Line
	switch p.Kind {
	case If:
		return p.ifStmt(line), false
	case While:
		p.Next()
		cond := p.value()
		p.Expect(Do)
		body := p.loopBlock()
		p.Match(End, While, line)
		return span(&ast.WhileStmt{Condition: cond, Stmts: body}, line, p.Last), false
	case Do:
		p.Next()
		body := p.block()
		p.Match(End, Do, line)
		return span(&ast.DoBlockStmt{Stmts: body}, line, p.Last), false
	case For:
		return p.forStmt(line), false
	case Repeat:
		return p.repeatStmt(line), false
	case Function:
		return p.functionStmt(line), false
	case Local:
		p.Next()
		if p.Accept(Function) {
			name := p.Identifier()
			p.declare(name)
			f := p.body(false, p.Line)
			return span(&ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{f}}, line, p.Last), false
		}
		return p.localStmt(line), false
	case Return:
		p.Next()
		var exprs []ast.Expr
		if !p.BlockEnds() && p.Kind != ';' {
			exprs = p.exprList()
			if len(exprs) > 1 {
				p.reserveLast(exprs)
			}
			p.release(0)
		}
		return at(&ast.ReturnStmt{Exprs: exprs}, p.Last), true
	case Break:
		p.Next()
		if p.fn.loops == 0 {
			p.SyntaxError("no loop to break")
		}
		return at(&ast.BreakStmt{}, line), true
	}
	return p.exprStmt(line), false
}

func (p *parser) ifStmt(line int) *ast.IfStmt {
	p.Next()
	s := &ast.IfStmt{Condition: p.value()}
	p.Expect(Then)
	s.Then = p.block()
	inner := p.Line
	switch p.Kind {
	case Elseif:
		s.Else = []ast.Stmt{p.elseif(line, inner)}
		return span(s, line, p.Last)
	case Else:
		p.Next()
		s.Else = p.block()
	}
	p.Match(End, If, line)
	return span(s, line, p.Last)
}

// elseif is an if that the end of the first one closes.
func (p *parser) elseif(first, line int) *ast.IfStmt {
	p.branches++
	p.rise(p.branches)
	s := p.ifStmt(first)
	p.branches--
	s.SetLine(line)
	return s
}

func (p *parser) repeatStmt(line int) ast.Stmt {
	p.Next()
	n := len(p.fn.locals)
	p.fn.loops++
	body := p.chunk()
	p.Match(Until, Repeat, line)
	cond := p.value()
	p.fn.loops--
	p.fn.locals = p.fn.locals[:n]
	return span(&ast.RepeatStmt{Condition: cond, Stmts: body}, line, p.Last)
}

func (p *parser) forStmt(line int) ast.Stmt {
	p.Next()
	n := len(p.fn.locals)
	first := p.Identifier()
	var s ast.Stmt
	do := 0
	switch p.Kind {
	case '=':
		p.Next()
		f := &ast.NumberForStmt{Name: first, Init: p.value()}
		p.Expect(',')
		f.Limit = p.value()
		if p.Accept(',') {
			f.Step = p.value()
		}
		p.Expect(Do)
		do = p.Last // where Lua checks the three
		p.declare("(for index)", "(for limit)", "(for step)", first)
		f.Stmts = p.loopBlock()
		s = f
	case ',', In:
		f := &ast.GenericForStmt{Names: []string{first}}
		for p.Accept(',') {
			f.Names = append(f.Names, p.Identifier())
		}
		p.Expect(In)
		at, base := p.Line, p.fn.temps
		f.Exprs = p.exprList()
		p.release(base)
		p.Expect(Do)
		p.declare("(for generator)", "(for state)", "(for control)")
		p.declare(f.Names...)
		f.Stmts = p.loopBlock()
		do = at
		s = f
	default:
		p.SyntaxError("'=' or 'in' expected")
	}
	p.fn.locals = p.fn.locals[:n]
	p.Match(End, For, line)
	return span(s, do, p.Last)
}

func (p *parser) functionStmt(line int) ast.Stmt {
	p.Next()
	var target ast.Expr = p.variable()
	name := &ast.FuncName{}
	method := false
	for !method && (p.Kind == '.' || p.Kind == ':') {
		method = p.Kind == ':'
		p.Next()
		target = p.field(target, p.Identifier())
	}
	name.Func = target
	f := p.body(method, line)
	target.SetLine(line)
	return span(&ast.FuncDefStmt{Name: name, Func: f}, line, p.Last)
}

func (p *parser) localStmt(line int) ast.Stmt {
	defer p.release(p.fn.temps)
	names := []string{p.Identifier()}
	for p.Accept(',') {
		names = append(names, p.Identifier())
	}
	s := &ast.LocalAssignStmt{Names: names}
	if p.Accept('=') {
		s.Exprs = p.exprList()
	}
	if len(names) == 1 && len(s.Exprs) == 1 {
		if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			// With a value too many, so that the compiler does not take it for a local function, whose
			// body would see the name.
			s.Exprs = append(s.Exprs, at(&ast.NilExpr{}, f.LastLine()))
		}
	}
	p.declare(names...)
	return span(s, line, p.Last)
}

// exprStmt is a call or an assignment.
func (p *parser) exprStmt(line int) ast.Stmt {
	defer p.release(p.fn.temps)
	e, parens := p.primary()
	if call, ok := e.(*ast.FuncCallExpr); ok && !parens {
		return at(&ast.FuncCallStmt{Expr: call}, line)
	}
	s := &ast.AssignStmt{}
	for {
		if !assignable(e, parens) {
			p.SyntaxError("syntax error")
		}
		s.Lhs = append(s.Lhs, e)
		if !p.Accept(',') {
			break
		}
		e, parens = p.primary()
		if p.depth+len(s.Lhs) > maxLevels {
			p.limit(p.fn, maxLevels+1, maxLevels-p.depth, "variables in assignment")
		}
	}
	p.Expect('=')
	s.Rhs = p.exprList()
	for _, lhs := range s.Lhs {
		lhs.SetLine(p.Last) // where Lua emits the store
	}
	return span(s, line, p.Last)
}

func assignable(e ast.Expr, parens bool) bool {
	switch e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		return !parens
	}
	return false
}
