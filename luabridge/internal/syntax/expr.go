package syntax

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

func (p *parser) exprList() []ast.Expr {
	es := []ast.Expr{p.expr()}
	height := p.height
	for p.Accept(',') {
		p.reserve()
		es = append(es, p.expr())
		height = max(height, p.height)
	}
	p.height = height
	return es
}

func (p *parser) expr() ast.Expr { return p.subexpr(0) }

// value is an expression that is read before the next token.
func (p *parser) value() ast.Expr {
	e := p.expr()
	p.read()
	return e
}

// priority of the binary operators: of two, the one that binds tighter on the side between them
// wins; unequal sides make an operator right associative.
type priority struct{ left, right int }

var priorities = map[Kind]priority{
	'+': {6, 6}, '-': {6, 6}, '*': {7, 7}, '/': {7, 7}, '%': {7, 7},
	'^': {10, 9}, Concat: {5, 4},
	Ne: {3, 3}, Eq: {3, 3}, '<': {3, 3}, Le: {3, 3}, '>': {3, 3}, Ge: {3, 3},
	And: {2, 2}, Or: {1, 1},
}

const unaryPriority = 8

func (p *parser) subexpr(limit int) ast.Expr {
	p.enter()
	e := p.operand()
	for {
		op := p.Kind
		pr, ok := priorities[op]
		if !ok || pr.left <= limit {
			break
		}
		p.Next()
		p.read()
		base := p.fn.temps
		switch op {
		case And, Or:
		case Concat:
			p.reserve()
		default:
			p.hold(e)
		}
		height := p.height
		r := p.subexpr(pr.right)
		p.rise(max(height, p.height) + 1)
		p.read()
		p.release(base)
		line := p.Last
		if chain, ok := r.(*ast.StringConcatOpExpr); ok && op == Concat {
			line = chain.Line() // one instruction for both, in parentheses too
		}
		e = at(binary(op, e, r), line)
	}
	p.leave()
	return e
}

func binary(op Kind, l, r ast.Expr) ast.Expr {
	switch op {
	case Concat:
		return &ast.StringConcatOpExpr{Lhs: l, Rhs: r}
	case And, Or:
		return &ast.LogicalOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
	case Ne, Eq, Le, Ge, '<', '>':
		return &ast.RelationalOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
	}
	return &ast.ArithmeticOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
}

func (p *parser) operand() ast.Expr {
	switch p.Kind {
	case Not:
		p.Next()
		return at(&ast.UnaryNotOpExpr{Expr: p.unaryOperand()}, p.Last)
	case '-':
		p.Next()
		return at(&ast.UnaryMinusOpExpr{Expr: p.unaryOperand()}, p.Last)
	case '#':
		p.Next()
		return at(&ast.UnaryLenOpExpr{Expr: p.unaryOperand()}, p.Last)
	}
	return p.simple()
}

func (p *parser) unaryOperand() ast.Expr {
	e := p.subexpr(unaryPriority)
	p.rise(p.height + 1)
	p.read()
	return e
}

func (p *parser) simple() ast.Expr {
	var e ast.Expr
	p.pending, p.height = nil, 0
	switch p.Kind {
	case Number:
		p.constant("", true)
		e = &ast.NumberExpr{Value: strconv.FormatFloat(p.Token.Number, 'g', -1, 64)}
	case String:
		p.constant(p.Text, false)
		e = &ast.StringExpr{Value: strings.Clone(p.Text)}
	case Nil:
		e = &ast.NilExpr{}
	case True:
		e = &ast.TrueExpr{}
	case False:
		e = &ast.FalseExpr{}
	case Dots:
		if !p.fn.vararg {
			p.SyntaxError("cannot use '...' outside a vararg function")
		}
		e = &ast.Comma3Expr{}
	case '{':
		return p.constructor()
	case Function:
		p.Next()
		return p.body(false, p.Line)
	default:
		e, _ = p.primary()
		return e
	}
	e = at(e, p.Line)
	p.Next()
	return e
}

func (p *parser) variable() *ast.IdentExpr {
	line := p.Line
	name := p.Identifier()
	p.use(name)
	e := at(&ast.IdentExpr{Value: strings.Clone(name)}, line)
	p.pending = e
	return e
}

// primary parses a variable, or an expression in parentheses, with all the fields, indices and calls
// behind it. parens is set when nothing is behind the parentheses.
func (p *parser) primary() (e ast.Expr, parens bool) {
	switch p.Kind {
	case '(':
		line := p.Line
		p.Next()
		e = one(p.expr())
		p.Match(')', '(', line)
		p.read()
		parens = true
	case Name:
		e = p.variable()
		p.height = 0
	default:
		p.SyntaxError("unexpected symbol")
	}
	for {
		height := p.height
		switch p.Kind {
		case '.':
			p.Next()
			e = p.field(e, p.Identifier())
		case '[':
			p.Next()
			key := p.value()
			p.height = max(height, p.height)
			p.Expect(']')
			get := at(&ast.AttrGetExpr{Object: e, Key: key}, p.Last)
			p.pending = get
			e = get
		case ':':
			p.Next()
			method := p.Identifier()
			p.constant(method, false)
			p.read()
			line := p.Last
			base := p.fn.temps
			p.reserve() // the method, and the object that it is called with
			p.reserve()
			e = p.arguments(&ast.FuncCallExpr{Receiver: e, Method: method}, height)
			e.SetLastLine(line) // where Lua looks the method up
			p.release(base)
		case '(', String, '{':
			base := p.fn.temps
			p.pending = nil
			p.reserve()
			e = p.arguments(&ast.FuncCallExpr{Func: e}, height)
			p.release(base)
		default:
			return e, parens
		}
		p.rise(p.height + 1)
		parens = false
	}
}

func (p *parser) field(object ast.Expr, name string) ast.Expr {
	p.constant(name, false)
	e := at(&ast.AttrGetExpr{Object: object, Key: at(&ast.StringExpr{Value: strings.Clone(name)}, p.Last)}, p.Last)
	p.pending = e
	return e
}

// one cuts an expression in parentheses down to one value.
func one(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// arguments parses the arguments of a call. height is the height of the function expression; the
// result is at least that of the tallest argument.
func (p *parser) arguments(call *ast.FuncCallExpr, height int) ast.Expr {
	line := p.Line
	p.height = 0
	defer func() { p.height = max(p.height, height) }()
	switch p.Kind {
	case '(':
		if line != p.Last {
			p.SyntaxError("ambiguous syntax (function call x new statement)")
		}
		p.Next()
		if p.Kind != ')' {
			call.Args = p.exprList()
		}
		p.Match(')', '(', line)
		if len(call.Args) > 0 {
			p.reserveLast(call.Args)
		}
		p.read()
	case '{':
		call.Args = []ast.Expr{p.constructor()}
	case String:
		p.constant(p.Text, false)
		call.Args = []ast.Expr{at(&ast.StringExpr{Value: strings.Clone(p.Text)}, line)}
		p.Next()
	default:
		p.SyntaxError("function arguments expected")
	}
	return span(call, line, p.Last)
}

func (p *parser) constructor() ast.Expr {
	line := p.Line
	base := p.fn.temps
	defer p.release(base)
	p.pending = nil
	p.Check('{')
	p.reserve()
	p.Next()
	t := &ast.TableExpr{}
	waiting, height := 0, 0
	defer func() { p.rise(height + 1) }()
	for p.Kind != '}' {
		t.Fields = append(t.Fields, p.tableField())
		height = max(height, p.height)
		if !p.Accept(',') && !p.Accept(';') {
			break
		}
		if p.Kind == '}' { // the last field is read at the end
			break
		}
		if t.Fields[len(t.Fields)-1].Key != nil {
			continue
		}
		p.reserve()
		if waiting++; waiting == tableBatch {
			p.release(base + 1)
			waiting = 0
		}
	}
	p.Match('}', '{', line)
	p.read()
	return at(t, line)
}

func (p *parser) tableField() *ast.Field {
	switch {
	case p.Kind == Name && p.Lookahead() == '=':
		p.constant(p.Text, false)
		key := at(&ast.StringExpr{Value: strings.Clone(p.Text)}, p.Line)
		p.Next()
		p.Next()
		return &ast.Field{Key: key, Value: p.value()}
	case p.Kind == '[':
		p.Next()
		key := p.value()
		height := p.height
		p.Expect(']')
		p.Expect('=')
		f := &ast.Field{Key: key, Value: p.value()}
		p.height = max(height, p.height)
		if _, fn := key.(*ast.FunctionExpr); !fn {
			key.SetLastLine(p.Last) // where Lua stores the field
		}
		return f
	}
	return &ast.Field{Value: p.expr()}
}

// body parses a function from its parameters to its end.
func (p *parser) body(method bool, line int) *ast.FunctionExpr {
	p.fn = &function{outer: p.fn, line: line}
	peak := p.peak
	p.peak = 0
	node := &ast.FunctionExpr{}
	p.functions = append(p.functions, node)
	p.Expect('(')
	if method {
		p.declare("self")
	}
	list := &ast.ParList{Names: []string{}}
	if method {
		list.Names = append(list.Names, "self")
	}
	for p.Kind != ')' {
		if p.Kind == Dots {
			p.Next()
			list.HasVargs, p.fn.vararg = true, true
			break
		}
		if p.Kind != Name {
			p.SyntaxError("<name> or '...' expected")
		}
		list.Names = append(list.Names, p.Identifier())
		p.declare(list.Names[len(list.Names)-1])
		if !p.Accept(',') {
			break
		}
		if p.Kind == ')' {
			p.SyntaxError("<name> or '...' expected")
		}
	}
	if list.HasVargs {
		p.declare("arg")
	}
	p.Expect(')')
	stmts := p.chunk()
	last := p.Line
	p.Match(End, Function, line)
	p.fn = p.fn.outer
	p.pending = nil
	height := p.peak + 1
	p.peak = peak
	p.rise(height)
	node.ParList, node.Stmts = list, stmts
	return span(node, line, last)
}
