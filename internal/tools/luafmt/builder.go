package luafmt

import (
	"fmt"
	"sort"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// comment is a comment of the source.
type comment struct {
	text     string
	from, to int // lines at which it begins and ends
	long     bool
	margin   margin
}

// token is a token of the source with the comments before it.
type token struct {
	text     string
	at       int // offset
	from, to int // lines at which it begins and ends
	before   []comment
}

// builder turns a tree into operations of the layout.
type builder struct {
	tree   *luatree.Tree
	tokens []token // the last one is empty and stands for the end of the text
	next   int     // the token that is printed next
	ops    []op
	quotes Quotes
	last   int // line at which what was printed last ends in the source; 0: nothing was printed
}

func newBuilder(tree *luatree.Tree, quotes Quotes) *builder {
	b := &builder{tree: tree, quotes: quotes}
	var comments []comment
	list := luatree.Tokens(tree.Source)
	b.tokens, b.ops = make([]token, 0, len(list)+1), make([]op, 0, 4*len(list))
	for _, t := range list {
		from, column := tree.Position(t.From)
		to, _ := tree.Position(t.To)
		s := tree.Text(t.Range)
		if t.Kind == luatree.CommentToken {
			long := isLong(s)
			if !long {
				s = strings.TrimRight(s, " \t\r\f\v")
			}
			c := comment{text: s, from: from, to: to, long: long}
			switch {
			case !bundle.MeansInclude(s):
			case column == 1:
				c.margin = at
			default:
				c.margin = off
			}
			comments = append(comments, c)
			continue
		}
		b.tokens = append(b.tokens, token{s, t.From, from, to, comments})
		comments = nil
	}
	end := tree.Lines() + 1
	b.tokens = append(b.tokens, token{"", len(tree.Source), end, end, comments})
	return b
}

// isLong reports whether a comment is written in long brackets.
func isLong(s string) bool {
	s = strings.TrimPrefix(s, "--")
	return strings.HasPrefix(s, "[") && strings.HasPrefix(strings.TrimLeft(s[1:], "="), "[")
}

func (b *builder) add(k kind)       { b.ops = append(b.ops, op{kind: k}) }
func (b *builder) write(s string)   { b.ops = append(b.ops, op{kind: text, text: s}) }
func (b *builder) peek() *token     { return &b.tokens[b.next] }
func (b *builder) is(s string) bool { return b.tokens[b.next].text == s }

// groupOf begins a group and returns its operation.
func (b *builder) groupOf(k kind) int {
	b.add(k)
	return len(b.ops) - 1
}

// index returns the number of the first token from an offset on.
func (b *builder) index(offset int) int {
	return sort.Search(len(b.tokens), func(i int) bool { return b.tokens[i].at >= offset })
}

// breaks reports whether there is a line break in the source before a token.
func (b *builder) breaks(i int) bool { return i > 0 && b.tokens[i].from > b.tokens[i-1].to }

// take prints the next token.
func (b *builder) take() {
	b.gap(text)
	t := b.peek()
	s := t.text
	if b.quotes != KeepQuotes {
		s = b.quotes.apply(s)
	}
	b.write(s)
	b.last = t.to
	b.next++
}

// want prints the next token, which must have a text.
func (b *builder) want(s string) {
	if !b.is(s) {
		line := b.peek().from
		panic(fmt.Errorf("line %d: %q is there instead of %q", line, b.peek().text, s))
	}
	b.take()
}

// drop skips the next token. The comments before it go to the one after it.
func (b *builder) drop() {
	before := b.peek().before
	b.next++
	t := b.peek()
	t.before = append(before[:len(before):len(before)], t.before...)
}

// replaced is drop, with another token in its place.
func (b *builder) replaced(s string) {
	b.last = max(b.last, b.peek().to)
	b.drop()
	b.write(s)
}

// gap prints the comments before the next token, and what separates it from the one before: an
// operation without text. text stands for no separation.
func (b *builder) gap(separator kind) {
	t := b.peek()
	if len(t.before) == 0 {
		if separator != text {
			b.add(separator)
		}
		return
	}
	list := t.before
	t.before = nil
	needed := false
	for _, c := range list {
		if c.from > b.last {
			b.newline(c.from)
		} else {
			b.write(" ")
		}
		b.comment(c)
		needed = !c.long
	}
	if needed || t.from > b.last || separator == hard || separator == blank {
		b.newline(t.from)
	} else {
		b.write(" ")
	}
}

// space prints a space before the next token.
func (b *builder) space() {
	if len(b.peek().before) == 0 {
		b.write(" ")
		return
	}
	b.gap(text)
}

// comment prints a comment.
func (b *builder) comment(c comment) {
	k := text
	if !c.long {
		k = suffix
	}
	b.ops = append(b.ops, op{kind: k, text: c.text, margin: c.margin})
	b.last = c.to
}

// newline begins a line for what stands at a line of the source, after an empty line if there is
// one.
func (b *builder) newline(at int) {
	switch {
	case b.last == 0:
	case at > b.last+1:
		b.add(blank)
	default:
		b.add(hard)
	}
}

// name prints a token after a space.
func (b *builder) name(s string) {
	b.space()
	b.want(s)
}
