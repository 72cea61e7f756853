package difftest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// countedSource is a program that counts its own places: a second opinion on what coverage counts.
// The text is changed so that it logs a word whenever it reaches a place.
type countedSource struct {
	tree  *luatree.Tree
	edits []edit
	lines map[int][]string // the words that count for a line
	ways  []string         // the words of branches: with "yes" and "no" after them
	calls []string         // the words of functions
	odd   bool             // it has something whose branches this file does not know
}

// edit is text to insert. At one offset, ends come before beginnings.
type edit struct {
	at, order int
	text      string
}

// countedPrelude defines what logs. The line break that would move the text is left out.
const countedPrelude = `local __log = redis.log ` +
	`local function __t(w) __log(3, w) return true end ` +
	`local function __b(w, v) __log(3, v and w .. "yes" or w .. "no") return v end `

// countProgram returns src as a program that counts itself, and the places.
func countProgram(src string) (c *countedSource, text string, err error) {
	tree, err := luatree.Parse(src)
	if err != nil {
		return nil, "", err
	}
	c = &countedSource{tree: tree, lines: map[int][]string{}}
	c.node(tree.Main.Body)
	slices.SortStableFunc(c.edits, func(a, b edit) int { return cmp.Or(a.at-b.at, a.order-b.order) })
	var out strings.Builder
	out.WriteString(countedPrelude)
	last := 0
	for _, e := range c.edits {
		out.WriteString(src[last:e.at] + e.text)
		last = e.at
	}
	return c, out.String() + src[last:], nil
}

// around inserts text before and after a range. Of nested ranges, the outer one must come first.
func (c *countedSource) around(r luatree.Range, before, after string) {
	c.edits = append(c.edits, edit{r.From, len(c.edits) + 1, before}, edit{r.To, -len(c.edits) - 1, after})
}

// word returns a word for a place.
func (c *countedSource) word(kind string, at int) string {
	line, column := c.tree.Position(at)
	return fmt.Sprintf("%s%d:%d", kind, line, column)
}

// line makes a word count for the line of a place.
func (c *countedSource) line(kind string, at int) string {
	w := c.word(kind, at)
	line, _ := c.tree.Position(at)
	c.lines[line] = append(c.lines[line], w)
	return w
}

func quote(w string) string { return strconv.Quote(w) }

// node visits a node, outer ones first.
func (c *countedSource) node(n luatree.Node) {
	switch n := n.(type) {
	case luatree.Stmt:
		c.stmt(n)
		return
	case *luatree.Binary:
		c.binary(n)
	case *luatree.Function:
		w := c.word("f", n.From)
		c.calls = append(c.calls, w)
		c.around(n.Body.Range, " __t("+quote(w)+") ", "")
	}
	children(n, c.node)
}

// children calls f for the nodes directly below n.
func children(n luatree.Node, f func(luatree.Node)) {
	luatree.Walk(n, func(child luatree.Node) bool {
		if child != n {
			f(child)
		}
		return child == n
	})
}

func (c *countedSource) stmt(s luatree.Stmt) {
	at := s.Span().From
	switch s.(type) {
	case *luatree.DoStmt, *luatree.RepeatStmt, *luatree.WhileStmt:
	default:
		c.edits = append(c.edits, edit{at, len(c.edits) + 1, " __t(" + quote(c.line("s", at)) + "); "})
	}
	switch s := s.(type) {
	case *luatree.WhileStmt:
		c.condition(s.Cond, c.line("s", at))
	case *luatree.RepeatStmt:
		c.condition(s.Cond, c.line("s", s.Cond.Span().From))
	case *luatree.IfStmt:
		for i, b := range s.Branches {
			w := ""
			if i > 0 {
				w = c.line("s", c.keyword("elseif", b.Cond))
			}
			c.condition(b.Cond, w)
		}
	case *luatree.NumericFor:
		if fixedNumber(s.First) && fixedNumber(s.Last) && (s.Step == nil || fixedNumber(s.Step)) {
			break
		}
		c.odd = c.odd || folded(s.First) && folded(s.Last) && (s.Step == nil || folded(s.Step))
		c.loop(s.Range, s.Body)
	case *luatree.GenericFor:
		c.loop(s.Range, s.Body)
	}
	children(s, c.node)
}

// keyword returns the offset of the word before a condition.
func (c *countedSource) keyword(word string, cond luatree.Expr) int {
	return strings.LastIndex(c.tree.Source[:cond.Span().From], word)
}

// loop counts whether a for has iterations.
func (c *countedSource) loop(r luatree.Range, body *luatree.Block) {
	w := c.word("b", r.From)
	c.ways = append(c.ways, w)
	begun := "__" + strings.NewReplacer(":", "_").Replace(w)
	c.around(r, "do local "+begun+" ", " if not "+begun+" then __t("+quote(w+"no")+") end end ")
	c.edits = append(c.edits, edit{body.From, len(c.edits) + 1,
		" if not " + begun + " then " + begun + " = true __t(" + quote(w+"yes") + ") end "})
}

// condition counts a condition of a statement. w counts its evaluations if it is not "".
func (c *countedSource) condition(e luatree.Expr, w string) {
	if w != "" {
		c.around(span(e), "__t("+quote(w)+") and (", ")")
	}
	c.decides(e)
}

func span(n luatree.Node) luatree.Range { return n.Span() }

// decides counts the operand of e on which a jump depends.
func (c *countedSource) decides(e luatree.Expr) {
	leaf := c.leaf(e)
	if fixed(leaf) {
		return
	}
	w := c.word("b", span(leaf).From)
	c.ways = append(c.ways, w)
	c.around(span(leaf), "__b("+quote(w)+", (", "))")
}

// leaf returns that operand.
func (c *countedSource) leaf(e luatree.Expr) luatree.Expr {
	switch e := e.(type) {
	case *luatree.Paren:
		return c.leaf(e.X)
	case *luatree.Binary:
		if logical(e) {
			return c.leaf(e.R)
		}
	case *luatree.Unary:
		if in, ok := strip(e.X).(*luatree.Binary); ok && e.Op == "not" && logical(in) {
			c.odd = c.odd || fixed(c.leaf(in.L))
			return c.leaf(in)
		}
		if in, ok := strip(e.X).(*luatree.Unary); ok && e.Op == "not" {
			if leaf := c.leaf(in); leaf != luatree.Expr(in) {
				return leaf
			}
		}
	}
	return e
}

func strip(e luatree.Expr) luatree.Expr {
	for {
		p, ok := e.(*luatree.Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

func logical(b *luatree.Binary) bool { return b.Op == "and" || b.Op == "or" }

// fixed reports whether an expression is always true or always false.
func fixed(e luatree.Expr) bool {
	switch e := strip(e).(type) {
	case *luatree.Number, *luatree.String, *luatree.Constant, *luatree.Table, *luatree.Function:
		return true
	case *luatree.Unary:
		return e.Op != "not" || fixed(e.X)
	case *luatree.Binary:
		return strings.Contains("+-*/%^..", e.Op)
	}
	return false
}

func fixedNumber(e luatree.Expr) bool {
	if u, ok := strip(e).(*luatree.Unary); ok && u.Op == "-" {
		return fixedNumber(u.X)
	}
	_, ok := strip(e).(*luatree.Number)
	return ok
}

// folded reports whether the compiler might compute an expression.
func folded(e luatree.Expr) bool {
	switch e := strip(e).(type) {
	case *luatree.Number:
		return true
	case *luatree.Unary:
		return folded(e.X)
	case *luatree.Binary:
		return folded(e.L) && folded(e.R)
	}
	return false
}

// binary counts the left side of "and" and "or", and the right side if it begins a line.
func (c *countedSource) binary(b *luatree.Binary) {
	if !logical(b) {
		return
	}
	c.decides(b.L)
	if fixed(c.leaf(b.L)) {
		c.odd = c.odd || c.beginsLine(span(b.R).From)
		return
	}
	if at := span(b.R).From; c.beginsLine(at) {
		c.around(span(b.R), "(__t("+quote(c.line("o", at))+") and (", "))")
	}
}

func (c *countedSource) beginsLine(at int) bool {
	before := c.tree.Source[:at]
	before = strings.TrimSpace(before[strings.LastIndexAny(before, "\n\r")+1:])
	return before == "" || before == "and" || before == "or"
}
