package syntax

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

func (p *parser) exprList() []ast.Expr {
	es := []ast.Expr{p.expr()}
	for p.accept(',') {
		p.reserve()
		es = append(es, p.expr())
	}
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

var priorities = map[kind]priority{
	'+': {6, 6}, '-': {6, 6}, '*': {7, 7}, '/': {7, 7}, '%': {7, 7},
	'^': {10, 9}, tkConcat: {5, 4},
	tkNe: {3, 3}, tkEq: {3, 3}, '<': {3, 3}, tkLe: {3, 3}, '>': {3, 3}, tkGe: {3, 3},
	tkAnd: {2, 2}, tkOr: {1, 1},
}

const unaryPriority = 8

func (p *parser) subexpr(limit int) ast.Expr {
	p.enter()
	e := p.operand()
	for n := 0; ; n++ {
		p.chain(n)
		op := p.tok.kind
		pr, ok := priorities[op]
		if !ok || pr.left <= limit {
			break
		}
		p.next()
		p.read()
		base := p.fn.temps
		switch op {
		case tkAnd, tkOr:
		case tkConcat:
			p.reserve()
		default:
			p.hold(e)
		}
		r := p.subexpr(pr.right)
		p.read()
		p.release(base)
		line := p.last
		if chain, ok := r.(*ast.StringConcatOpExpr); ok && op == tkConcat {
			line = chain.Line() // one instruction for both, in parentheses too
		}
		e = at(binary(op, e, r), line)
	}
	p.leave()
	return e
}

func binary(op kind, l, r ast.Expr) ast.Expr {
	switch op {
	case tkConcat:
		return &ast.StringConcatOpExpr{Lhs: l, Rhs: r}
	case tkAnd, tkOr:
		return &ast.LogicalOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
	case tkNe, tkEq, tkLe, tkGe, '<', '>':
		return &ast.RelationalOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
	}
	return &ast.ArithmeticOpExpr{Operator: op.String(), Lhs: l, Rhs: r}
}

func (p *parser) operand() ast.Expr {
	switch p.tok.kind {
	case tkNot:
		p.next()
		return at(&ast.UnaryNotOpExpr{Expr: p.unaryOperand()}, p.last)
	case '-':
		p.next()
		return at(&ast.UnaryMinusOpExpr{Expr: p.unaryOperand()}, p.last)
	case '#':
		p.next()
		return at(&ast.UnaryLenOpExpr{Expr: p.unaryOperand()}, p.last)
	}
	return p.simple()
}

func (p *parser) unaryOperand() ast.Expr {
	e := p.subexpr(unaryPriority)
	p.read()
	return e
}

func (p *parser) simple() ast.Expr {
	var e ast.Expr
	p.pending = nil
	switch p.tok.kind {
	case tkNumber:
		e = &ast.NumberExpr{Value: strconv.FormatFloat(p.tok.number, 'g', -1, 64)}
	case tkString:
		e = &ast.StringExpr{Value: p.tok.text}
	case tkNil:
		e = &ast.NilExpr{}
	case tkTrue:
		e = &ast.TrueExpr{}
	case tkFalse:
		e = &ast.FalseExpr{}
	case tkDots:
		if !p.fn.vararg {
			p.syntaxError("cannot use '...' outside a vararg function")
		}
		e = &ast.Comma3Expr{}
	case '{':
		return p.constructor()
	case tkFunction:
		p.next()
		return p.body(false, p.line)
	default:
		e, _ = p.primary()
		return e
	}
	e = at(e, p.line)
	p.next()
	return e
}

func (p *parser) variable() *ast.IdentExpr {
	line := p.line
	name := p.identifier()
	p.use(name)
	e := at(&ast.IdentExpr{Value: name}, line)
	p.pending = e
	return e
}

// primary parses a variable, or an expression in parentheses, with all the fields, indices and calls
// behind it. parens is set when nothing is behind the parentheses.
func (p *parser) primary() (e ast.Expr, parens bool) {
	switch p.tok.kind {
	case '(':
		line := p.line
		p.next()
		e = one(p.expr())
		p.match(')', '(', line)
		p.read()
		parens = true
	case tkName:
		e = p.variable()
	default:
		p.syntaxError("unexpected symbol")
	}
	for n := 0; ; n++ {
		p.chain(n)
		switch p.tok.kind {
		case '.':
			p.next()
			e = p.field(e, p.identifier())
		case '[':
			p.next()
			key := p.value()
			p.expect(']')
			get := at(&ast.AttrGetExpr{Object: e, Key: key}, p.last)
			p.pending = get
			e = get
		case ':':
			p.next()
			method := p.identifier()
			p.read()
			line := p.last
			base := p.fn.temps
			p.reserve() // the method, and the object that it is called with
			p.reserve()
			e = p.arguments(&ast.FuncCallExpr{Receiver: e, Method: method})
			e.SetLastLine(line) // where Lua looks the method up
			p.release(base)
		case '(', tkString, '{':
			base := p.fn.temps
			p.pending = nil
			p.reserve()
			e = p.arguments(&ast.FuncCallExpr{Func: e})
			p.release(base)
		default:
			return e, parens
		}
		parens = false
	}
}

func (p *parser) field(object ast.Expr, name string) ast.Expr {
	e := at(&ast.AttrGetExpr{Object: object, Key: at(&ast.StringExpr{Value: name}, p.last)}, p.last)
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

func (p *parser) arguments(call *ast.FuncCallExpr) ast.Expr {
	line := p.line
	switch p.tok.kind {
	case '(':
		if line != p.last {
			p.syntaxError("ambiguous syntax (function call x new statement)")
		}
		p.next()
		if p.tok.kind != ')' {
			call.Args = p.exprList()
		}
		p.match(')', '(', line)
		if len(call.Args) > 0 {
			p.reserveLast(call.Args)
		}
		p.read()
	case '{':
		call.Args = []ast.Expr{p.constructor()}
	case tkString:
		call.Args = []ast.Expr{at(&ast.StringExpr{Value: p.tok.text}, line)}
		p.next()
	default:
		p.syntaxError("function arguments expected")
	}
	return span(call, line, p.last)
}

func (p *parser) constructor() ast.Expr {
	line := p.line
	base := p.fn.temps
	defer p.release(base)
	p.pending = nil
	p.check('{')
	p.reserve()
	p.next()
	t := &ast.TableExpr{}
	waiting := 0
	for p.tok.kind != '}' {
		t.Fields = append(t.Fields, p.tableField())
		if !p.accept(',') && !p.accept(';') {
			break
		}
		if p.tok.kind == '}' { // the last field is read at the end
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
	p.match('}', '{', line)
	p.read()
	return at(t, line)
}

func (p *parser) tableField() *ast.Field {
	switch {
	case p.tok.kind == tkName && p.lookahead() == '=':
		key := at(&ast.StringExpr{Value: p.tok.text}, p.line)
		p.next()
		p.next()
		return &ast.Field{Key: key, Value: p.value()}
	case p.tok.kind == '[':
		p.next()
		key := p.value()
		p.expect(']')
		p.expect('=')
		f := &ast.Field{Key: key, Value: p.value()}
		if _, fn := key.(*ast.FunctionExpr); !fn {
			key.SetLastLine(p.last) // where Lua stores the field
		}
		return f
	}
	return &ast.Field{Value: p.expr()}
}

// body parses a function from its parameters to its end.
func (p *parser) body(method bool, line int) *ast.FunctionExpr {
	p.fn = &function{outer: p.fn, line: line}
	p.expect('(')
	if method {
		p.declare("self")
	}
	list := &ast.ParList{Names: []string{}}
	if method {
		list.Names = append(list.Names, "self")
	}
	for p.tok.kind != ')' {
		if p.tok.kind == tkDots {
			p.next()
			list.HasVargs, p.fn.vararg = true, true
			break
		}
		if p.tok.kind != tkName {
			p.syntaxError("<name> or '...' expected")
		}
		list.Names = append(list.Names, p.identifier())
		p.declare(list.Names[len(list.Names)-1])
		if !p.accept(',') {
			break
		}
		if p.tok.kind == ')' {
			p.syntaxError("<name> or '...' expected")
		}
	}
	if list.HasVargs {
		p.declare("arg")
	}
	p.expect(')')
	stmts := p.chunk()
	last := p.line
	p.match(tkEnd, tkFunction, line)
	p.fn = p.fn.outer
	p.pending = nil
	return span(&ast.FunctionExpr{ParList: list, Stmts: stmts}, line, last)
}
