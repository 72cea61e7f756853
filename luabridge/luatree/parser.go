package luatree

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

// Error is a syntax error, in Lua's words.
type Error struct {
	Text string // chunk name, line and message, such as "user_script:2: unexpected symbol near 'x'"
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// maxLevels is how deep Lua 5.1 lets syntax nest.
const maxLevels = 200

// chunkName is the name that Redis gives every script.
const chunkName = "user_script"

type parser struct {
	syntax.Lexer
	tree  *Tree
	fn    *Function
	scope scope
	depth int
	loops int // loops of the current function around the current token

	// Where the parser is, for ParseBroken.
	stmt   int // offset of the innermost statement that is being parsed; -1: none
	header int // offset of the statement whose part before its block is being parsed; -1: none
}

// Parse parses a text. The error is an *[Error].
func Parse(source string) (tree *Tree, err error) {
	tree = NewTree(source)
	text := source
	if strings.HasPrefix(source, "#!") {
		end := strings.IndexByte(source, '\n')
		if end < 0 {
			end = len(source)
		}
		tree.Shebang = Range{0, end}
		text = strings.Repeat(" ", end) + source[end:] // offsets stay
	}
	p := newParser(text, tree)
	if err := p.run(); err != nil {
		return nil, &Error{err.Error()}
	}
	return tree, nil
}

// newParser returns a parser that fills a tree from a text without a line that begins with "#!".
func newParser(text string, tree *Tree) *parser {
	p := &parser{Lexer: syntax.NewLexer(text, chunkName, nil), tree: tree, scope: scope{visible: map[string]*Local{}}, stmt: -1, header: -1}
	p.Comment = func(from, to int) {
		tree.Comments = append(tree.Comments, commentOf(text, Range{from, to}))
	}
	return p
}

// commentOf returns the comment at a place of a text.
func commentOf(text string, at Range) Comment {
	body := text[at.From:at.To]
	long := strings.HasPrefix(body, "--[") && strings.HasPrefix(strings.TrimLeft(body[3:], "="), "[") &&
		strings.HasSuffix(body, "]")
	return Comment{at, long}
}

// run parses the whole text.
func (p *parser) run() (err error) {
	defer p.Recover(&err)
	p.fn = &Function{Range: Range{0, len(p.tree.Source)}, Vararg: true}
	p.tree.Main = p.fn
	p.Next()
	p.fn.Body = p.block()
	p.Check(syntax.EOS)
	return nil
}

// since returns the range from an offset to the end of the last token.
func (p *parser) since(from int) Range { return Range{from, p.Past} }

func (p *parser) current() Range { return Range{p.From, p.To} }

func (p *parser) enterLevel() {
	if p.depth++; p.depth > maxLevels {
		p.Fail("chunk has too many syntax levels", 0)
	}
}

func (p *parser) leaveLevel() { p.depth-- }

// block parses statements up to the token that ends the block, which ends the scope as well.
func (p *parser) block(locals ...*Local) *Block {
	n := len(p.scope.stack)
	p.enter(locals...)
	b := p.open()
	p.leave(n)
	return b
}

// open is block, except that its locals stay in scope.
func (p *parser) open() *Block {
	p.enterLevel()
	b := &Block{Range: Range{p.From, p.From}}
	for last := false; !last && !p.BlockEnds(); {
		var s Stmt
		s, last = p.statement()
		b.Stmts = append(b.Stmts, s)
		b.To = s.Span().To
		p.Accept(';')
	}
	p.leaveLevel()
	return b
}

// statement parses a statement. It reports whether the statement must be the last of its block.
func (p *parser) statement() (s Stmt, last bool) {
	outer := p.stmt
	p.stmt = p.From
	s, last = p.anyStatement(p.From, p.Line)
	p.stmt = outer
	return s, last
}

func (p *parser) anyStatement(from, line int) (s Stmt, last bool) {
	switch p.Kind {
	case syntax.If:
		return p.ifStatement(from, line), false
	case syntax.While:
		return p.while(from, line), false
	case syntax.Do:
		p.Next()
		body := p.block()
		p.Match(syntax.End, syntax.Do, line)
		return &DoStmt{p.since(from), body}, false
	case syntax.For:
		return p.forStatement(from, line), false
	case syntax.Repeat:
		return p.repeat(from, line), false
	case syntax.Function:
		return p.functionStatement(from, line), false
	case syntax.Local:
		p.Next()
		if p.Accept(syntax.Function) {
			return p.localFunction(from), false
		}
		return p.local(from), false
	case syntax.Return:
		p.Next()
		r := &ReturnStmt{}
		if !p.BlockEnds() && p.Kind != ';' {
			r.Values = p.list()
		}
		r.Range = p.since(from)
		return r, true
	case syntax.Break:
		if p.Next(); p.loops == 0 {
			p.SyntaxError("no loop to break")
		}
		return &BreakStmt{p.since(from)}, true
	}
	return p.expressionStatement(from), false
}

func (p *parser) ifStatement(from, line int) Stmt {
	s := &IfStmt{}
	for more := true; more; more = p.Kind == syntax.Elseif {
		p.header = from
		p.Next()
		cond := p.expression()
		p.Expect(syntax.Then)
		p.header = -1
		s.Branches = append(s.Branches, Branch{cond, p.block()})
	}
	if p.Accept(syntax.Else) {
		s.Else = p.block()
	}
	p.Match(syntax.End, syntax.If, line)
	s.Range = p.since(from)
	return s
}

// loop parses the body of a loop.
func (p *parser) loop(locals ...*Local) *Block {
	p.loops++
	b := p.block(locals...)
	p.loops--
	return b
}

func (p *parser) while(from, line int) Stmt {
	p.header = from
	p.Next()
	cond := p.expression()
	p.Expect(syntax.Do)
	p.header = -1
	body := p.loop()
	p.Match(syntax.End, syntax.While, line)
	return &WhileStmt{p.since(from), cond, body}
}

func (p *parser) repeat(from, line int) Stmt {
	p.Next()
	n := len(p.scope.stack)
	p.loops++
	body := p.open()
	p.Match(syntax.Until, syntax.Repeat, line)
	cond := p.expression() // it sees the locals of the body
	p.loops--
	p.leave(n)
	return &RepeatStmt{p.since(from), body, cond}
}

func (p *parser) forStatement(from, line int) Stmt {
	p.header = from
	p.Next()
	at, name := p.current(), p.Identifier()
	var s Stmt
	switch p.Kind {
	case '=':
		s = p.numericFor(name, at)
	case ',', syntax.In:
		s = p.genericFor(name, at)
	default:
		p.SyntaxError("'=' or 'in' expected")
	}
	p.Match(syntax.End, syntax.For, line)
	switch s := s.(type) {
	case *NumericFor:
		s.Range = p.since(from)
	case *GenericFor:
		s.Range = p.since(from)
	}
	return s
}

func (p *parser) numericFor(name string, at Range) Stmt {
	s := &NumericFor{}
	p.Next()
	s.First = p.expression()
	p.Expect(',')
	s.Last = p.expression()
	if p.Accept(',') {
		s.Step = p.expression()
	}
	p.Expect(syntax.Do)
	p.header = -1
	s.Var = p.declare(name, at, ByFor, s, 0)
	s.Body = p.loop(s.Var)
	return s
}

func (p *parser) genericFor(name string, at Range) Stmt {
	s := &GenericFor{}
	s.Vars = []*Local{p.declare(name, at, ByFor, s, 0)}
	for p.Accept(',') {
		at := p.current()
		s.Vars = append(s.Vars, p.declare(p.Identifier(), at, ByFor, s, len(s.Vars)))
	}
	p.Expect(syntax.In)
	s.Values = p.list()
	p.Expect(syntax.Do)
	p.header = -1
	s.Body = p.loop(s.Vars...)
	return s
}

func (p *parser) functionStatement(from, line int) Stmt {
	p.Next()
	s := &FunctionStmt{}
	at := p.current()
	target := p.use(p.Identifier(), at)
	s.Target = target
	for !s.Method && (p.Kind == '.' || p.Kind == ':') {
		s.Method = p.Kind == ':'
		p.Next()
		key := p.nameAsString()
		s.Target = &Index{p.since(at.From), s.Target, key, true}
	}
	target.Write = s.Target == Expr(target)
	s.Func = p.body(p.From, line, s.Method)
	s.Range = p.since(from)
	return s
}

// nameAsString parses a name as the constant that it stands for.
func (p *parser) nameAsString() *String {
	at := p.current()
	return &String{at, p.Identifier()}
}

func (p *parser) localFunction(from int) Stmt {
	s := &LocalFunction{}
	at := p.current()
	s.Name = p.declare(p.Identifier(), at, ByFunction, s, 0)
	p.enter(s.Name)
	s.Func = p.body(p.From, p.Line, false)
	s.Range = p.since(from)
	return s
}

func (p *parser) local(from int) Stmt {
	s := &LocalStmt{}
	for more := true; more; more = p.Accept(',') {
		at := p.current()
		s.Names = append(s.Names, p.declare(p.Identifier(), at, ByLocal, s, len(s.Names)))
	}
	if p.Accept('=') {
		s.Values = p.list()
	}
	s.Range = p.since(from)
	p.enter(s.Names...)
	return s
}

func (p *parser) expressionStatement(from int) Stmt {
	first := p.primary()
	if call, ok := first.(*Call); ok {
		return &CallStmt{p.since(from), call}
	}
	s := &AssignStmt{}
	for e := first; ; e = p.primary() {
		switch e := e.(type) {
		case *Name:
			e.Write = true
		case *Index:
		default:
			p.SyntaxError("syntax error")
		}
		if s.Targets = append(s.Targets, e); !p.Accept(',') {
			break
		}
		if len(s.Targets) > maxLevels-p.depth {
			p.Fail(fmt.Sprintf("main function has more than %d variables in assignment", maxLevels-p.depth), 0)
		}
	}
	p.Expect('=')
	s.Values = p.list()
	s.Range = p.since(from)
	return s
}
