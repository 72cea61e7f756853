package luatree

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

func (p *parser) list() []Expr {
	list := []Expr{p.expression()}
	for p.Accept(',') {
		list = append(list, p.expression())
	}
	return list
}

func (p *parser) expression() Expr { return p.operators(0) }

// operators parses an expression up to an operator that does not bind tighter than limit.
func (p *parser) operators(limit int) Expr {
	p.enterLevel()
	from := p.From
	var e Expr
	switch op := p.Kind; op {
	case syntax.Not, '-', '#':
		p.Next()
		x := p.operators(syntax.UnaryPriority)
		e = &Unary{p.since(from), op.String(), x}
	default:
		e = p.simple()
	}
	for links := 0; ; links++ {
		p.link(links)
		op, at := p.Kind, p.current()
		left, right := syntax.Priority(op)
		if left <= limit {
			p.leaveLevel()
			return e
		}
		p.Next()
		r := p.operators(right)
		e = &Binary{p.since(from), op.String(), at, e, r}
	}
}

// maxLinks is how many operators, or how many fields, indexes and calls, may follow one another in
// an expression. Each makes the tree deeper by one, and those who walk over a tree recurse.
const maxLinks = 1000

func (p *parser) link(n int) {
	if n > maxLinks {
		p.SyntaxError(fmt.Sprintf("expression has more than %d parts", maxLinks))
	}
}

func (p *parser) simple() Expr {
	at := p.current()
	var e Expr
	switch p.Kind {
	case syntax.Number:
		e = &Number{at, p.Number}
	case syntax.String:
		e = &String{at, p.Text}
	case syntax.Nil:
		e = &Constant{at, Nil}
	case syntax.True:
		e = &Constant{at, True}
	case syntax.False:
		e = &Constant{at, False}
	case syntax.Dots:
		if !p.fn.Vararg {
			p.SyntaxError("cannot use '...' outside a vararg function")
		}
		e = &Vararg{at}
	case '{':
		return p.constructor()
	case syntax.Function:
		p.Next()
		return p.body(at.From, p.Line, false)
	default:
		return p.primary()
	}
	p.Next()
	return e
}

// primary parses a variable, or an expression in parentheses, and the fields, indexes and calls
// after it.
func (p *parser) primary() Expr {
	from, line := p.From, p.Line
	var e Expr
	switch p.Kind {
	case '(':
		p.Next()
		x := p.expression()
		p.Match(')', '(', line)
		e = &Paren{p.since(from), x}
	case syntax.Name:
		at := p.current()
		e = p.use(p.Identifier(), at)
	default:
		p.SyntaxError("unexpected symbol")
	}
	for links := 0; ; links++ {
		p.link(links)
		switch p.Kind {
		case '.':
			p.Next()
			key := p.nameAsString()
			e = &Index{p.since(from), e, key, true}
		case '[':
			p.Next()
			key := p.expression()
			p.Expect(']')
			e = &Index{p.since(from), e, key, false}
		case ':':
			p.Next()
			method := p.nameAsString()
			args := p.arguments()
			e = &Call{p.since(from), e, method, args}
		case '(', syntax.String, '{':
			args := p.arguments()
			e = &Call{p.since(from), e, nil, args}
		default:
			return e
		}
	}
}

func (p *parser) arguments() []Expr {
	line := p.Line
	switch p.Kind {
	case '(':
		if line != p.Last {
			p.SyntaxError("ambiguous syntax (function call x new statement)")
		}
		p.Next()
		var args []Expr
		if p.Kind != ')' {
			args = p.list()
		}
		p.Match(')', '(', line)
		return args
	case '{':
		return []Expr{p.constructor()}
	case syntax.String:
		s := &String{p.current(), p.Text}
		p.Next()
		return []Expr{s}
	}
	p.SyntaxError("function arguments expected")
	return nil
}

func (p *parser) constructor() Expr {
	from, line := p.From, p.Line
	t := &Table{}
	p.Expect('{')
	for p.Kind != '}' {
		var f Field
		switch {
		case p.Kind == '[':
			p.Next()
			f.Key = p.expression()
			p.Expect(']')
			p.Expect('=')
		case p.Kind == syntax.Name && p.Lookahead() == '=':
			f.Named = true
			f.Key = p.nameAsString()
			p.Expect('=')
		}
		f.Value = p.expression()
		t.Fields = append(t.Fields, f)
		if !p.Accept(',') && !p.Accept(';') {
			break
		}
	}
	p.Match('}', '{', line)
	t.Range = p.since(from)
	return t
}

// body parses a function from its parameters to its end.
func (p *parser) body(from, line int, method bool) *Function {
	f := &Function{Outer: p.fn}
	loops := p.loops
	p.fn, p.loops, p.header = f, 0, p.stmt
	if method {
		f.Params = append(f.Params, p.declare("self", Range{}, Parameter, f, 0))
	}
	p.Expect('(')
	var arg []*Local
	for more := p.Kind != ')'; more; more = !f.Vararg && p.Accept(',') {
		at := p.current()
		switch p.Kind {
		case syntax.Name:
			f.Params = append(f.Params, p.declare(p.Identifier(), at, Parameter, f, len(f.Params)))
		case syntax.Dots:
			p.Next()
			f.Vararg = true
			arg = []*Local{p.declare("arg", Range{}, Parameter, f, len(f.Params))}
		default:
			p.SyntaxError("<name> or '...' expected")
		}
	}
	p.Expect(')')
	p.header = -1
	f.Body = p.block(append(append([]*Local(nil), f.Params...), arg...)...)
	p.Match(syntax.End, syntax.Function, line)
	f.Range = p.since(from)
	p.fn, p.loops = f.Outer, loops
	return f
}
