package syntax

import (
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
	lexer
	branches int // that an elseif has begun, within each other
	fn       *function
	depth    int

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
	loops    int

	// temps is how many registers above the locals hold values that wait for others: the arguments before, the function
	// that is going to be called.
	temps int
}

// Parse parses a chunk. depth is how many C calls are in progress: Lua counts the levels of the text on top of them. The
// error is an *[Error].
func Parse(source, name string, depth int) (chunk []ast.Stmt, err error) {
	p := &parser{lexer: lexer{src: source, name: name, line: 1, last: 1}, depth: depth}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			e.More = p.pos >= len(source)
			chunk, err = nil, e
		}
	}()
	p.fn = &function{vararg: true}
	p.next()
	chunk = p.chunk()
	p.check(tkEOS)
	return chunk, nil
}

func (p *parser) expected(k kind) { p.syntaxError(fmt.Sprintf("'%s' expected", k)) }

func (p *parser) check(k kind) {
	if p.tok.kind != k {
		p.expected(k)
	}
}

func (p *parser) expect(k kind) {
	p.check(k)
	p.next()
}

func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

// match expects the token that closes what was opened at a line.
func (p *parser) match(what, who kind, line int) {
	if p.accept(what) {
		return
	}
	if line == p.line {
		p.expected(what)
	}
	p.syntaxError(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", what, who, line))
}

func (p *parser) identifier() string {
	p.check(tkName)
	name := p.tok.text
	p.next()
	return name
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxLevels {
		p.fail("chunk has too many syntax levels", 0)
	}
}

// maxChain is how many operators, calls and indexes, or branches may stand in a row. Lua's compiler knows no such limit; what works on
// the tree goes as deep.
const maxChain = 10000

func (p *parser) chain(n int) {
	if n > maxChain {
		p.fail("chunk has too many syntax levels", 0)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) limit(fn *function, n, most int, what string) {
	if n <= most {
		return
	}
	if fn.line == 0 {
		p.fail(fmt.Sprintf("main function has more than %d %s", most, what), 0)
	}
	p.fail(fmt.Sprintf("function at line %d has more than %d %s", fn.line, most, what), 0)
}

func (p *parser) declare(names ...string) {
	p.fn.locals = append(p.fn.locals, names...)
	p.limit(p.fn, len(p.fn.locals), maxLocals, "local variables")
}

// reserve takes a register for the expression parsed last.
func (p *parser) reserve() {
	p.read()
	if p.fn.temps++; len(p.fn.locals)+p.fn.temps >= maxRegisters {
		p.syntaxError("function or expression too complex")
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
		p.pending.SetLine(p.last)
		p.pending = nil
	}
}

func (p *parser) blockEnds() bool {
	switch p.tok.kind {
	case tkElse, tkElseif, tkEnd, tkUntil, tkEOS:
		return true
	}
	return false
}

func (p *parser) chunk() []ast.Stmt {
	stmts := []ast.Stmt{}
	p.enter()
	for last := false; !last && !p.blockEnds(); {
		var s ast.Stmt
		s, last = p.statement()
		stmts = append(stmts, s)
		p.accept(';')
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
	line := p.line
	switch p.tok.kind {
	case tkIf:
		return p.ifStmt(line), false
	case tkWhile:
		p.next()
		cond := p.value()
		p.expect(tkDo)
		body := p.loopBlock()
		p.match(tkEnd, tkWhile, line)
		return span(&ast.WhileStmt{Condition: cond, Stmts: body}, line, p.last), false
	case tkDo:
		p.next()
		body := p.block()
		p.match(tkEnd, tkDo, line)
		return span(&ast.DoBlockStmt{Stmts: body}, line, p.last), false
	case tkFor:
		return p.forStmt(line), false
	case tkRepeat:
		return p.repeatStmt(line), false
	case tkFunction:
		return p.functionStmt(line), false
	case tkLocal:
		p.next()
		if p.accept(tkFunction) {
			name := p.identifier()
			p.declare(name)
			f := p.body(false, p.line)
			return span(&ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{f}}, line, p.last), false
		}
		return p.localStmt(line), false
	case tkReturn:
		p.next()
		var exprs []ast.Expr
		if !p.blockEnds() && p.tok.kind != ';' {
			exprs = p.exprList()
			if len(exprs) > 1 {
				p.reserveLast(exprs)
			}
			p.release(0)
		}
		return at(&ast.ReturnStmt{Exprs: exprs}, p.last), true
	case tkBreak:
		p.next()
		if p.fn.loops == 0 {
			p.syntaxError("no loop to break")
		}
		return at(&ast.BreakStmt{}, line), true
	}
	return p.exprStmt(line), false
}

func (p *parser) ifStmt(line int) *ast.IfStmt {
	p.next()
	s := &ast.IfStmt{Condition: p.value()}
	p.expect(tkThen)
	s.Then = p.block()
	inner := p.line
	switch p.tok.kind {
	case tkElseif:
		s.Else = []ast.Stmt{p.elseif(line, inner)}
		return span(s, line, p.last)
	case tkElse:
		p.next()
		s.Else = p.block()
	}
	p.match(tkEnd, tkIf, line)
	return span(s, line, p.last)
}

// elseif is an if that the end of the first one closes.
func (p *parser) elseif(first, line int) *ast.IfStmt {
	p.branches++
	p.chain(p.branches)
	s := p.ifStmt(first)
	p.branches--
	s.SetLine(line)
	return s
}

func (p *parser) repeatStmt(line int) ast.Stmt {
	p.next()
	n := len(p.fn.locals)
	p.fn.loops++
	body := p.chunk()
	p.match(tkUntil, tkRepeat, line)
	cond := p.value()
	p.fn.loops--
	p.fn.locals = p.fn.locals[:n]
	return span(&ast.RepeatStmt{Condition: cond, Stmts: body}, line, p.last)
}

func (p *parser) forStmt(line int) ast.Stmt {
	p.next()
	n := len(p.fn.locals)
	first := p.identifier()
	var s ast.Stmt
	do := 0
	switch p.tok.kind {
	case '=':
		p.next()
		f := &ast.NumberForStmt{Name: first, Init: p.value()}
		p.expect(',')
		f.Limit = p.value()
		if p.accept(',') {
			f.Step = p.value()
		}
		p.expect(tkDo)
		do = p.last // where Lua checks the three
		p.declare("(for index)", "(for limit)", "(for step)", first)
		f.Stmts = p.loopBlock()
		s = f
	case ',', tkIn:
		f := &ast.GenericForStmt{Names: []string{first}}
		for p.accept(',') {
			f.Names = append(f.Names, p.identifier())
		}
		p.expect(tkIn)
		at, base := p.line, p.fn.temps
		f.Exprs = p.exprList()
		p.release(base)
		p.expect(tkDo)
		p.declare("(for generator)", "(for state)", "(for control)")
		p.declare(f.Names...)
		f.Stmts = p.loopBlock()
		do = at
		s = f
	default:
		p.syntaxError("'=' or 'in' expected")
	}
	p.fn.locals = p.fn.locals[:n]
	p.match(tkEnd, tkFor, line)
	return span(s, do, p.last)
}

func (p *parser) functionStmt(line int) ast.Stmt {
	p.next()
	var target ast.Expr = p.variable()
	name := &ast.FuncName{}
	method := false
	for !method && (p.tok.kind == '.' || p.tok.kind == ':') {
		method = p.tok.kind == ':'
		p.next()
		target = p.field(target, p.identifier())
	}
	name.Func = target
	f := p.body(method, line)
	target.SetLine(line)
	return span(&ast.FuncDefStmt{Name: name, Func: f}, line, p.last)
}

func (p *parser) localStmt(line int) ast.Stmt {
	defer p.release(p.fn.temps)
	names := []string{p.identifier()}
	for p.accept(',') {
		names = append(names, p.identifier())
	}
	s := &ast.LocalAssignStmt{Names: names}
	if p.accept('=') {
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
	return span(s, line, p.last)
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
			p.syntaxError("syntax error")
		}
		s.Lhs = append(s.Lhs, e)
		if !p.accept(',') {
			break
		}
		e, parens = p.primary()
		if p.depth+len(s.Lhs) > maxLevels {
			p.limit(p.fn, maxLevels+1, maxLevels-p.depth, "variables in assignment")
		}
	}
	p.expect('=')
	s.Rhs = p.exprList()
	for _, lhs := range s.Lhs {
		lhs.SetLine(p.last) // where Lua emits the store
	}
	return span(s, line, p.last)
}

func assignable(e ast.Expr, parens bool) bool {
	switch e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		return !parens
	}
	return false
}
