package assist

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// callSite is the innermost call around a place, as far as the tokens before it show. It works in
// texts that do not compile.
type callSite struct {
	callee   string   // such as "redis.call" or "s:sub"; aliases are resolved
	words    []string // the arguments before the one at the place; lint.Unknown if not constant
	from     int      // where the argument at the place begins: behind the "(" or the ","
	isMethod bool
}

// bracket is something open before a place: a bracket, or a block of statements.
type bracket struct {
	symbol string // "(", "[", "{" or "block"
	token  int
	commas []int // tokens
}

// brackets returns what is open before a token.
func (d *Document) brackets(before int) (stack []bracket) {
	drop := func(upTo func(b bracket) bool) {
		for i := len(stack) - 1; i >= 0; i-- {
			if upTo(stack[i]) {
				stack = stack[:i]
				return
			}
			if stack[i].symbol == "block" {
				return // a bracket does not close a block
			}
		}
	}
	for i := range before {
		t := d.tokens[i]
		s := d.Text[t.From:t.To]
		switch t.Kind {
		case luatree.SymbolToken:
			switch s {
			case "(", "[", "{":
				stack = append(stack, bracket{symbol: s, token: i})
			case ")", "]", "}":
				opened := map[string]string{")": "(", "]": "[", "}": "{"}[s]
				drop(func(b bracket) bool { return b.symbol == opened })
			case ",":
				if n := len(stack); n > 0 {
					stack[n-1].commas = append(stack[n-1].commas, i)
				}
			}
		case luatree.KeywordToken:
			switch s {
			case "local", "return", "break", "for", "while", "repeat", "if", "else", "elseif", "until":
				stack = afterStatement(stack) // brackets that the statement before it has not closed
			}
			switch s {
			case "function", "if", "do", "repeat":
				stack = append(stack, bracket{symbol: "block", token: i})
			case "end", "until":
				stack = endBlock(stack)
			}
		}
	}
	return stack
}

// afterStatement removes the brackets inside the innermost block.
func afterStatement(stack []bracket) []bracket {
	for len(stack) > 0 && stack[len(stack)-1].symbol != "block" {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// endBlock removes the innermost block and the brackets in it.
func endBlock(stack []bracket) []bracket {
	if stack = afterStatement(stack); len(stack) > 0 {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// callAt returns the call around an offset, or nil.
func (d *Document) callAt(at int) *callSite {
	before := d.tokensBefore(at)
	if before > 0 && d.inside(before-1, at) {
		before-- // the token at the place belongs to its own argument
	}
	stack := d.brackets(before)
	if len(stack) == 0 {
		return nil
	}
	b := stack[len(stack)-1]
	if b.symbol != "(" {
		return nil
	}
	c := &callSite{from: d.tokens[b.token].To}
	c.callee, c.isMethod = d.calleeBefore(b.token)
	if c.callee == "" {
		return nil
	}
	from := b.token + 1
	for _, comma := range b.commas {
		c.words = append(c.words, d.word(from, comma))
		from, c.from = comma+1, d.tokens[comma].To
	}
	if c.callee == "pcall" && len(b.commas) > 0 { // pcall(redis.call, 'GET', …)
		if name, _ := d.calleeBefore(b.commas[0]); name == "redis.call" || name == "redis.pcall" {
			c.callee, c.words = name, c.words[1:]
		}
	}
	return c
}

// inside reports whether an offset lies in a token, or behind an unfinished one.
func (d *Document) inside(token, at int) bool {
	t := d.tokens[token]
	switch t.Kind {
	case luatree.SymbolToken:
		return false
	case luatree.InvalidToken:
		return t.From < at && at <= t.To
	case luatree.NameToken, luatree.KeywordToken, luatree.NumberToken:
		return t.From < at && at <= t.To
	}
	return t.From < at && at < t.To
}

// calleeBefore returns the expression of names before a token, with aliases resolved.
func (d *Document) calleeBefore(token int) (name string, method bool) {
	var names []string
	for i := token - 1; i >= 0 && d.tokens[i].Kind == luatree.NameToken; i -= 2 {
		names = append(names, d.textOf(i))
		if i == 0 || d.textOf(i-1) != "." && d.textOf(i-1) != ":" {
			slices.Reverse(names)
			return d.resolve(names, d.tokens[i].From), method
		}
		if d.textOf(i-1) == ":" {
			method = true
		}
	}
	if len(names) > 0 && method { // a method of something else than names
		return ":" + names[0], true
	}
	return "", false
}

// resolve joins names to the name of a library function. The first name may be a local that stands
// for it.
func (d *Document) resolve(names []string, at int) string {
	joined := strings.Join(names, ".")
	l := d.local(names[0], at)
	if l == nil {
		return joined
	}
	value := d.study.LocalLibrary(l)
	if value == "" {
		return "local " + joined
	}
	return strings.Join(append([]string{value}, names[1:]...), ".")
}

// local returns the local that a name at an offset means, or nil.
func (d *Document) local(name string, at int) *luatree.Local {
	if d.tree == nil {
		return nil
	}
	at = d.inScript(at)
	var found *luatree.Local
	for _, l := range d.tree.Locals {
		if l.Name == name && l.VisibleAt(at) {
			found = l // the last one declared
		}
	}
	return found
}

// word returns the text of an argument that consists of the tokens [from, to).
func (d *Document) word(from, to int) string {
	if to-from != 1 {
		return lint.Unknown
	}
	switch t := d.tokens[from]; t.Kind {
	case luatree.StringToken:
		return unquote(d.Text[t.From:t.To])
	case luatree.NumberToken:
		return d.Text[t.From:t.To]
	case luatree.NameToken:
		if l := d.local(d.textOf(from), t.From); l != nil {
			if text, ok := d.study.LocalConstant(l); ok {
				return text
			}
		}
	}
	return lint.Unknown
}

// unquote returns the value of a string of Lua.
func unquote(s string) string {
	tree, err := luatree.Parse("return " + s)
	if err != nil {
		return lint.Unknown
	}
	if r, ok := tree.Main.Body.Stmts[0].(*luatree.ReturnStmt); ok && len(r.Values) == 1 {
		if v, ok := r.Values[0].(*luatree.String); ok {
			return v.Value
		}
	}
	return lint.Unknown
}

// runsCommand reports whether a call runs a command of Redis.
func (c *callSite) runsCommand() bool {
	return c != nil && (c.callee == "redis.call" || c.callee == "redis.pcall")
}

// command returns the command of a call and how many of its words are its name. It is nil if the
// command is not known yet.
func (d *Document) command(c *callSite) (s *cmdtable.Spec, name int) {
	if !c.runsCommand() || len(c.words) == 0 || c.words[0] == "" {
		return nil, 0
	}
	s = d.linter.Table().Resolve(c.words)
	switch {
	case s == nil:
		return nil, 0
	case s.Parent != nil:
		return s, 2
	}
	return s, 1
}
