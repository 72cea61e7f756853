package luafmt

import (
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

func (b *builder) expression(e luatree.Expr) {
	switch e := e.(type) {
	case *luatree.Function:
		b.want("function")
		b.function(e)
	case *luatree.Paren:
		b.want("(")
		b.expression(e.X)
		b.want(")")
	case *luatree.Unary:
		b.want(e.Op)
		if e.Op == "not" || e.Op == "-" && b.is("-") { // "--" would begin a comment
			b.space()
		}
		b.expression(e.X)
	case *luatree.Binary:
		b.chain(b.chainOf(e), true)
	case *luatree.Index:
		b.expression(e.X)
		b.field(e)
	case *luatree.Call:
		b.call(e)
	case *luatree.Table:
		b.table(e)
	default: // one token
		b.take()
	}
}

// field prints .name or [key].
func (b *builder) field(e *luatree.Index) {
	if !e.Dot {
		b.key(e.Key)
		return
	}
	further := b.link()
	b.want(".")
	b.take()
	if further {
		b.add(dedent)
	}
}

// link begins a line before a field or method if the author did, and reports whether it did. The
// line and those that follow are indented.
func (b *builder) link() bool {
	if !b.breaks(b.next) {
		return false
	}
	b.add(indent)
	b.gap(hard)
	return true
}

// key prints an expression in brackets. A "[" behind a "[" would begin a long string.
func (b *builder) key(e luatree.Expr) {
	b.want("[")
	apart := strings.HasPrefix(b.peek().text, "[")
	if apart {
		b.write(" ")
	}
	b.expression(e)
	if apart {
		b.write(" ")
	}
	b.want("]")
}

func (b *builder) call(e *luatree.Call) {
	b.expression(e.Func)
	if e.Method != nil {
		if b.link() {
			defer b.add(dedent)
		}
		b.want(":")
		b.take()
	}
	switch {
	case b.is("{"):
		b.table(e.Args[0].(*luatree.Table))
	case !b.is("("):
		b.space()
		b.take()
	case len(e.Args) == 1 && clings(e.Args[0]) && !b.breaks(b.next+1):
		b.want("(")
		b.expression(e.Args[0])
		b.want(")")
	default:
		list := exprList(e.Args)
		list.clings = len(e.Args) > 0 && clings(e.Args[len(e.Args)-1])
		b.bracketed(list, "(", ")", false)
	}
}

// clings reports whether an argument stays behind the "(" or the comma before it, even if it is
// long: it has brackets or lines of its own.
func clings(e luatree.Expr) bool {
	switch e := e.(type) {
	case *luatree.Table:
		return len(e.Fields) > 0
	case *luatree.Function, *luatree.String:
		return true
	}
	return false
}

func (b *builder) table(e *luatree.Table) {
	list := elements{n: len(e.Fields)}
	list.end = func(i int) int { return e.Fields[i].Value.Span().To }
	list.print = func(b *builder, i int) {
		f := &e.Fields[i]
		switch {
		case f.Named:
			b.take()
			b.name("=")
			b.space()
		case f.Key != nil:
			b.key(f.Key)
			b.name("=")
			b.space()
		}
		b.expression(f.Value)
	}
	b.bracketed(list, "{", "}", true)
}

// function prints a function from its parameters on.
func (b *builder) function(f *luatree.Function) {
	start := b.next + 1
	n := 0
	for b.tokens[start+2*n].text != ")" {
		if n++; b.tokens[start+2*n-1].text == ")" {
			break
		}
	}
	params := elements{n: n, print: func(b *builder, _ int) { b.take() }}
	params.end = func(i int) int { t := &b.tokens[start+2*i]; return t.at + len(t.text) }
	ending := b.index(f.To) - 1
	short := b.short(f, ending)
	b.bracketed(params, "(", ")", false)
	switch {
	case !short:
		b.block(f.Body)
		b.want("end")
	case len(f.Body.Stmts) == 0:
		b.name("end")
	default:
		b.groupOf(open)
		b.add(indent)
		b.add(line)
		b.statement(f.Body.Stmts[0])
		if b.is(";") {
			b.drop()
		}
		b.add(dedent)
		b.gap(line)
		b.want("end")
		b.add(closed)
	}
}

// short reports whether a function may stay on one line: it is on one, and does one thing.
func (b *builder) short(f *luatree.Function, ending int) bool {
	if len(f.Body.Stmts) > 1 || b.tokens[b.next].from != b.tokens[ending].to && len(f.Body.Stmts) > 0 {
		return false
	}
	for i := b.next; i <= ending; i++ {
		if len(b.tokens[i].before) > 0 {
			return false
		}
	}
	if len(f.Body.Stmts) == 0 {
		return true
	}
	switch f.Body.Stmts[0].(type) {
	case *luatree.ReturnStmt, *luatree.CallStmt, *luatree.AssignStmt, *luatree.LocalStmt:
		return true
	}
	return false
}
