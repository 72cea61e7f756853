package cmdtable

import (
	"strconv"
	"strings"
)

// Arg is one argument of a command, as COMMAND DOCS describes it.
type Arg struct {
	Name          string
	Type          string // string, integer, double, key, pattern, unix-time, pure-token, oneof, block
	Token         string // the word that stands before the argument, or is it
	Since         string
	From          string // Since, where COMMAND DOCS does not tell it
	Deprecated    string // version since which it is deprecated, or ""
	KeySpec       int    // of a key, and of a pattern of keys: the key-spec that finds it
	KeyPattern    bool
	Optional      bool
	Multiple      bool // may be repeated
	MultipleToken bool // repeated with its token
	Args          []Arg

	more bool // in a hint: it has come at least once, and may come again
}

// Arguments parses the row's Syntax. The notation, arguments being apart by one space:
//
//	name        a string; name# integer, name~ double, name^ unix time, name* pattern, name@N key of key-spec N,
//	            name*N pattern of keys of key-spec N
//	TOKEN       a word that stands for itself, named like it in lower case; name=TOKEN when it is not
//	TOKEN:arg   an argument behind a word
//	name(a|b)   one of several, name{a b} several in this order
//	a\:b        a backslash makes the next character a plain one
//	[arg]       optional; arg... repeated, arg+... repeated with its token; arg>6.2.0 since that version (arg>>6.2.0: not told), arg<2.8.12 deprecated since
//
// What came later than the version of the row's table is left out. It panics when the row is wrong: a test parses them all.
func (s *Spec) Arguments() []Arg {
	if s.Syntax == "" {
		return nil
	}
	p := syntaxParser{text: s.Syntax}
	args := p.list(' ')
	if p.pos != len(p.text) {
		panic("command " + s.Name + ": syntax ends at " + p.text[p.pos:])
	}
	return s.Compat.followed(args)
}

type syntaxParser struct {
	text string
	pos  int
}

func (p *syntaxParser) accept(s string) bool {
	if strings.HasPrefix(p.text[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

// list reads arguments with a separator between them.
func (p *syntaxParser) list(sep byte) []Arg {
	args := []Arg{p.arg()}
	for p.accept(string(sep)) {
		args = append(args, p.arg())
	}
	return args
}

// word reads up to one of the characters stop; a backslash makes the next character a plain one.
func (p *syntaxParser) word(stop string) string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(stop, p.text[p.pos]) < 0 {
		if p.text[p.pos] == '\\' {
			p.pos++
		}
		p.pos++
	}
	return strings.ReplaceAll(p.text[start:p.pos], `\`, "")
}

func (p *syntaxParser) arg() Arg {
	if p.accept("[") {
		a := p.arg()
		a.Optional = true
		p.accept("]")
		p.suffix(&a)
		return a
	}
	const stop = " :=()|{}[]#~^*@.+><"
	a := Arg{Type: "string", Name: p.word(stop)}
	switch {
	case p.accept(":"):
		token := a.Name
		a = p.arg()
		a.Token = token
		return a
	case p.accept("="):
		a.Type, a.Token = "pure-token", p.word(stop)
	case p.accept("("):
		a.Type, a.Args = "oneof", p.list('|')
		p.accept(")")
	case p.accept("{"):
		a.Type, a.Args = "block", p.list(' ')
		p.accept("}")
	case p.accept("#"):
		a.Type = "integer"
	case p.accept("~"):
		a.Type = "double"
	case p.accept("^"):
		a.Type = "unix-time"
	case p.accept("*"):
		a.Type = "pattern"
		if n := p.word(" ()|{}[].+><"); n != "" {
			a.KeySpec, _ = strconv.Atoi(n)
			a.KeyPattern = true
		}
	case p.accept("@"):
		a.Type = "key"
		a.KeySpec, _ = strconv.Atoi(p.word(" ()|{}[].+><"))
	case a.Name == strings.ToUpper(a.Name):
		a.Type, a.Token, a.Name = "pure-token", a.Name, strings.ToLower(a.Name)
	}
	p.suffix(&a)
	return a
}

func (p *syntaxParser) suffix(a *Arg) {
	switch {
	case p.accept("+..."):
		a.Multiple, a.MultipleToken = true, true
	case p.accept("..."):
		a.Multiple = true
	}
	if p.accept(">>") {
		a.From = p.word(" ()|{}[]<")
	} else if p.accept(">") {
		a.Since = p.word(" ()|{}[]<")
	}
	if p.accept("<") {
		a.Deprecated = p.word(" ()|{}[]")
	}
}

// text writes the argument as help shows it: key [key ...], [NX|XX], [EX seconds].
func (a *Arg) text() string {
	s := a.bare()
	if a.more {
		return "[" + s + " ...]"
	}
	if a.Multiple {
		again := s
		if a.Token != "" && a.Type != "pure-token" && !a.MultipleToken {
			again = strings.TrimPrefix(s, a.Token+" ")
		}
		s += " [" + again + " ...]"
	}
	if a.Optional {
		s = "[" + s + "]"
	}
	return s
}

func (a *Arg) bare() string {
	s := a.Name
	switch a.Type {
	case "pure-token":
		return a.Token
	case "oneof":
		s = joinArgs(a.Args, "|")
	case "block":
		s = joinArgs(a.Args, " ")
	}
	if a.Token != "" {
		s = a.Token + " " + s
	}
	return s
}

func joinArgs(args []Arg, sep string) string {
	texts := make([]string, len(args))
	for i := range args {
		texts[i] = args[i].text()
	}
	return strings.Join(texts, sep)
}
