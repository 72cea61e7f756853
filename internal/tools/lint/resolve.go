package lint

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// maxDepth limits how far an expression is followed through variables and functions.
const maxDepth = 200

// value returns what a local that never changes is declared with, or nil.
func (p *pass) value(l *luatree.Local) luatree.Expr {
	v, done := p.values[l]
	if !done {
		v = findValue(l)
		p.values[l] = v
	}
	return v
}

func findValue(l *luatree.Local) luatree.Expr {
	for _, use := range l.Uses {
		if use.Write {
			return nil
		}
	}
	switch s := l.Stmt.(type) {
	case *luatree.LocalStmt:
		if l.Index < len(s.Values) {
			return s.Values[l.Index]
		}
	case *luatree.LocalFunction:
		return s.Func
	}
	return nil
}

// deref follows parentheses and locals that never change.
func (p *pass) deref(e luatree.Expr) luatree.Expr {
	for range maxDepth {
		switch x := e.(type) {
		case *luatree.Paren:
			e = x.X
			continue
		case *luatree.Name:
			if x.Local != nil {
				if v := p.value(x.Local); v != nil {
					e = v
					continue
				}
			}
		}
		return e
	}
	return e
}

// global returns the name of the global that an expression is, or "".
func (p *pass) global(e luatree.Expr) string {
	if name, ok := p.deref(e).(*luatree.Name); ok && name.Local == nil {
		return name.Text
	}
	return ""
}

// libraryField returns the field of a library, such as "redis.call", or the global that an
// expression is; else "".
func (p *pass) libraryField(e luatree.Expr) string {
	x := p.deref(e)
	index, ok := x.(*luatree.Index)
	if !ok {
		return p.global(x)
	}
	library := p.global(index.X)
	field, ok := index.Key.(*luatree.String)
	if library == "" || !ok {
		return ""
	}
	return library + "." + field.Value
}

// constant is a text that an expression always is.
type constant struct {
	text  string
	known bool
}

// longestConstant is how long the texts are that rules follow.
const longestConstant = 1000

// constant returns the text that an expression always is.
func (p *pass) constant(e luatree.Expr) (text string, ok bool) {
	e = p.deref(e)
	if c, done := p.constants[e]; done {
		return c.text, c.known
	}
	if p.depth > maxDepth {
		return "", false
	}
	p.depth++
	c := p.findConstant(e)
	p.depth--
	p.constants[e] = c
	return c.text, c.known
}

func (p *pass) findConstant(e luatree.Expr) constant {
	switch x := e.(type) {
	case *luatree.String:
		return constant{x.Value, true}
	case *luatree.Number:
		return constant{numberText(x.Value), true}
	case *luatree.Unary:
		if n, ok := p.deref(x.X).(*luatree.Number); ok && x.Op == "-" {
			return constant{numberText(-n.Value), true}
		}
	case *luatree.Binary:
		if x.Op != ".." {
			return constant{}
		}
		l, ok := p.constant(x.L)
		if !ok {
			return constant{}
		}
		if r, ok := p.constant(x.R); ok && len(l)+len(r) <= longestConstant {
			return constant{l + r, true}
		}
	}
	return constant{}
}

// numberText returns a number as redis.call passes it to a command.
func numberText(n float64) string { return strconv.FormatFloat(n, 'g', 17, 64) }

// number returns the number that an expression always is.
func (p *pass) number(e luatree.Expr) (n float64, ok bool) {
	switch x := p.deref(e).(type) {
	case *luatree.Number:
		return x.Value, true
	case *luatree.Unary:
		if n, ok := p.deref(x.X).(*luatree.Number); ok && x.Op == "-" {
			return -n.Value, true
		}
	}
	return 0, false
}

// multi reports whether an expression at the end of a list stands for any number of values.
func multi(e luatree.Expr) bool {
	switch e.(type) {
	case *luatree.Call, *luatree.Vararg:
		return true
	}
	return false
}

// canonical returns an expression as text, without spaces and with locals that never change
// replaced. Two expressions with the same text have the same value at any time at which no variable
// has changed.
func (p *pass) canonical(e luatree.Expr) string {
	if text, ok := p.constant(e); ok {
		return "'" + text
	}
	e = p.deref(e)
	if text, done := p.texts[e]; done {
		return text
	}
	if p.depth > maxDepth {
		return p.tree.Text(e.Span())
	}
	p.depth++
	text := p.findCanonical(e)
	p.depth--
	if len(text) > longestConstant {
		text = p.tree.Text(e.Span())
	}
	p.texts[e] = text
	return text
}

func (p *pass) findCanonical(e luatree.Expr) string {
	switch x := e.(type) {
	case *luatree.Index:
		return p.canonical(x.X) + "[" + p.canonical(x.Key) + "]"
	case *luatree.Binary:
		return p.canonical(x.L) + " " + x.Op + " " + p.canonical(x.R)
	case *luatree.Name:
		if x.Local != nil {
			return fmt.Sprintf("%s@%d", x.Text, x.Local.From)
		}
		return x.Text
	}
	return strings.Join(strings.Fields(p.tree.Text(e.Span())), " ")
}

var placeOfLocal = regexp.MustCompile(`@\d+`)

// shape is canonical without the places of locals: the same expression in two
// loops has the same shape.
func (p *pass) shape(e luatree.Expr) string {
	text := p.canonical(e)
	if _, ok := p.constant(e); ok {
		return text
	}
	return placeOfLocal.ReplaceAllString(text, "")
}
