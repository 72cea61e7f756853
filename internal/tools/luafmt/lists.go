package luafmt

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// elements is a list whose elements have commas between them.
type elements struct {
	n     int
	end   func(i int) int // offset behind an element
	print func(b *builder, i int)

	clings bool // the last element stays on the line of the others; see clings
}

func exprList(list []luatree.Expr) elements {
	return elements{
		n: len(list), end: func(i int) int { return list[i].Span().To },
		print: func(b *builder, i int) { b.expression(list[i]) },
	}
}

// names prints the names of a declaration.
func (b *builder) names(list []*luatree.Local) {
	b.plainList(elements{
		n: len(list), end: func(i int) int { return list[i].To },
		print: func(b *builder, _ int) { b.take() },
	})
}

// plainList prints a list without brackets. Its further lines are indented.
func (b *builder) plainList(e elements) {
	b.list(e, e.n > 1)
}

// list prints the elements of a list from the next token on.
func (b *builder) list(e elements, indented bool) {
	b.groupOf(b.kindOf(e))
	if indented {
		b.add(nest)
	}
	b.groupOf(open)
	for i := range e.n {
		if i > 0 {
			b.separate()
		}
		e.print(b, i)
	}
	b.add(closed)
	if indented {
		b.add(unnest)
	}
	b.add(closed)
}

// kindOf returns the kind of the group around a list: one that is broken if the author has broken
// the list.
func (b *builder) kindOf(e elements) kind {
	if b.brokenInside(e) {
		return opened
	}
	return open
}

// brokenInside reports whether the author has put a line break between two elements.
func (b *builder) brokenInside(e elements) bool {
	for i := 1; i < e.n; i++ {
		if comma := b.index(e.end(i - 1)); b.breaks(comma) || b.breaks(comma+1) {
			return true
		}
	}
	return false
}

// separate prints the comma before an element and begins a line if the author did. What stands on
// one line is a group.
func (b *builder) separate() {
	breaks := b.breaks(b.next) || b.breaks(b.next+1)
	b.replaced(",")
	if !breaks {
		b.gap(line)
		return
	}
	b.add(closed)
	b.lineOf()
	b.groupOf(open)
}

// lineOf begins a line for the next token, with an empty line before it if the author has one.
func (b *builder) lineOf() {
	t := b.peek()
	if len(t.before) > 0 {
		b.gap(hard)
		return
	}
	b.newline(t.from)
}

// bracketed prints a list between brackets. A comma behind the last element is printed if trailing
// is set and the bracket behind stands on a line of its own.
func (b *builder) bracketed(e elements, left, right string, trailing bool) {
	b.want(left)
	if e.n == 0 {
		b.emptyList(right)
		return
	}
	closing := b.index(e.end(e.n - 1))
	ends := b.breaks(closing)
	if b.tokens[closing].text != right { // a comma or a semicolon
		closing++
		ends = ends || b.breaks(closing)
	}
	switch {
	case b.breaks(b.next) || trailing && ends:
		b.ownLines(e, right, trailing)
	case b.brokenInside(e) || len(b.tokens[closing].before) > 0:
		b.list(e, true)
		if !b.is(right) {
			b.drop()
		}
		b.want(right)
	default:
		b.oneLine(e, right, trailing)
	}
}

func (b *builder) emptyList(right string) {
	if list := b.peek().before; len(list) > 0 {
		b.add(indent)
		b.trailingComments()
		b.add(dedent)
		if last := list[len(list)-1]; !last.long || b.breaks(b.next) {
			b.add(hard)
		} else {
			b.write(" ")
		}
	}
	b.want(right)
}

// ownLines prints a list that begins on the line behind its bracket.
func (b *builder) ownLines(e elements, right string, trailing bool) {
	b.groupOf(opened)
	b.add(indent)
	b.gap(hard)
	b.groupOf(open)
	for i := range e.n {
		if i > 0 {
			b.separate()
		}
		e.print(b, i)
	}
	if trailing {
		b.write(",")
	}
	b.add(closed)
	if !b.is(right) {
		b.drop()
	}
	b.trailingComments()
	b.add(dedent)
	b.add(hard)
	b.want(right)
	b.add(closed)
}

// trailingComments prints the comments before the bracket that ends a list.
func (b *builder) trailingComments() {
	t := b.peek()
	for _, c := range t.before {
		if c.from > b.last {
			b.newline(c.from)
		} else {
			b.write(" ")
		}
		b.comment(c)
	}
	t.before = nil
}

// oneLine prints a list that the author has not broken.
func (b *builder) oneLine(e elements, right string, trailing bool) {
	at := b.groupOf(open)
	b.add(nest)
	b.add(soft)
	for i := range e.n {
		if i > 0 {
			b.replaced(",")
			b.gap(line)
		}
		if from := len(b.ops); i == e.n-1 && e.clings {
			e.print(b, i)
			b.ops[at].hug = b.textBehind(from)
			continue
		}
		e.print(b, i)
	}
	if trailing {
		b.add(comma)
	}
	if !b.is(right) {
		b.drop()
	}
	b.add(unnest)
	b.gap(soft)
	b.want(right)
	b.add(closed)
}

// textBehind returns the operation behind the first text from an operation on.
func (b *builder) textBehind(from int) int {
	for i := from; i < len(b.ops); i++ {
		if b.ops[i].kind == text {
			return i + 1
		}
	}
	return 0
}
