package luafmt

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// chain is operands with operators of one precedence between them.
type chain struct {
	operands  []luatree.Expr
	first     *chain // the first operand, if it is a chain; nil: it is not
	operators []int  // their tokens; one less than operands
	broken    bool   // the author has broken it, or the first operand, at an operator
}

// precedence returns how tight an operator binds.
func precedence(operator string) int {
	switch operator {
	case "or":
		return 1
	case "and":
		return 2
	case "..":
		return 4
	case "+", "-":
		return 5
	case "*", "/", "%":
		return 6
	case "^":
		return 7
	}
	return 3 // comparisons
}

// chainOf returns the chain of which an expression is the whole.
func (b *builder) chainOf(e *luatree.Binary) *chain {
	level := precedence(e.Op)
	var reversed, list []luatree.Expr
	left := e
	for { // to the left, except for operators that bind to the right
		x, ok := left.L.(*luatree.Binary)
		if !ok || precedence(x.Op) != level || level == 4 || level == 7 {
			break
		}
		reversed = append(reversed, left.R)
		left = x
	}
	list = append(list, left.L)
	right := left.R
	for level == 4 || level == 7 {
		x, ok := right.(*luatree.Binary)
		if !ok || precedence(x.Op) != level {
			break
		}
		list = append(list, x.L)
		right = x.R
	}
	list = append(list, right)
	for i := len(reversed) - 1; i >= 0; i-- {
		list = append(list, reversed[i])
	}
	c := &chain{operands: list}
	if x, ok := list[0].(*luatree.Binary); ok {
		c.first = b.chainOf(x)
		c.broken = c.first.broken
	}
	for _, x := range list[:len(list)-1] {
		at := b.index(x.Span().To)
		c.operators = append(c.operators, at)
		c.broken = c.broken || b.breaks(at) || b.breaks(at+1)
	}
	return c
}

// chain prints a chain. Its further lines are indented if indented is set.
func (b *builder) chain(c *chain, indented bool) {
	k := open
	if c.broken {
		k = opened
	}
	b.groupOf(k)
	if indented {
		b.add(nest)
	}
	b.groupOf(open)
	b.links(c)
	b.add(closed)
	if indented {
		b.add(unnest)
	}
	b.add(closed)
}

// links prints the operands of a chain inside a group. What stands on one line is a group.
func (b *builder) links(c *chain) {
	for i, x := range c.operands {
		if i == 0 {
			if c.first != nil {
				b.chain(c.first, false) // its lines are those of the whole
			} else {
				b.expression(x)
			}
			continue
		}
		at := c.operators[i-1]
		if b.breaks(at) || b.breaks(at+1) {
			b.add(closed)
			t, behind := &b.tokens[at], &b.tokens[at+1]
			t.before = append(t.before[:len(t.before):len(t.before)], behind.before...)
			behind.before = nil
			b.gap(hard)
			b.groupOf(open)
		} else {
			b.gap(line)
		}
		b.take()
		b.last = max(b.last, b.tokens[at].to)
		b.space()
		b.expression(x)
	}
}
