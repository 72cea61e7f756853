package cmdtable

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Arg is one argument of a command, as COMMAND DOCS describes it.
type Arg struct {
	Name          string
	Display       string // the name that COMMAND DOCS displays, if it is another; see Shown
	Positive      bool   // an integer or unix time above 0
	Type          string // string, integer, double, key, pattern, unix-time, pure-token, oneof or block
	Token         string // the keyword before the argument, or the whole argument (pure-token)
	Since         servers.Since
	From          servers.Since // like Since, but COMMAND DOCS omits it
	Deprecated    string        // version since which it is deprecated, or ""
	KeySpec       int           // index of the key-spec that finds the key or the pattern of keys
	ShowsKeySpec  bool          // COMMAND DOCS shows KeySpec although it is not a key
	Optional      bool
	Multiple      bool // may be repeated
	MultipleToken bool // repeated with its token
	Args          []Arg

	more  bool // in a hint: the argument was given at least once and may be repeated
	place int  // the index in the syntax of the argument around it; see Spec.Expect
}

// Shown returns the name of the argument for people.
func (a *Arg) Shown() string {
	if a.Display != "" {
		return a.Display
	}
	return a.Name
}

// Arguments parses the row's Syntax. Arguments are separated by one space. The notation of an
// argument:
//
//	name        a string; name# an integer, name~ a double, name^ a unix time, name* a pattern
//	name#!      an integer above 0, name^! a unix time above 0
//	name#@N     an integer with the number of a key-spec
//	name@N      a key of key-spec N; name*N a pattern of keys of key-spec N
//	name"shown" a name that is displayed in another way: shown; the other marks follow it
//	TOKEN       a keyword, named as in lower case; name=TOKEN gives it another name
//	TOKEN:arg   an argument behind a keyword
//	name(a|b)   one of several, name{a b} several in this order
//	a\:b        a backslash takes away the special meaning of the next character
//	[arg]       optional; arg... repeated, arg+... repeated with its token
//	arg>6.2.0   since that version; arg>>6.2.0 the same, but COMMAND DOCS omits the version
//	arg<2.8.12  deprecated since that version
//
// Arguments that later versions than that of the row's table added are left out. It panics when the
// Syntax is malformed; a test parses the Syntax of all rows.
func (s *Spec) Arguments() []Arg {
	if s.Syntax == "" {
		return nil
	}
	p := syntaxParser{text: s.Syntax}
	args := p.list(' ')
	if p.pos != len(p.text) {
		panic("command " + s.Name + ": syntax ends at " + p.text[p.pos:])
	}
	return followed(args, s.Server)
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

// word reads up to one of the characters of stop; a backslash takes away the meaning of the next
// character.
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
	a := Arg{Type: "string", Name: p.word(stop + `"`)}
	if p.accept(`"`) {
		a.Display = p.word(`"`)
		p.accept(`"`)
	}
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
		a.Type, a.Positive = "integer", p.accept("!")
		if p.accept("@") {
			a.KeySpec, _ = strconv.Atoi(p.word(" ()|{}[].+><"))
			a.ShowsKeySpec = true
		}
	case p.accept("~"):
		a.Type = "double"
	case p.accept("^"):
		a.Type, a.Positive = "unix-time", p.accept("!")
	case p.accept("*"):
		a.Type = "pattern"
		if n := p.word(" ()|{}[].+><"); n != "" {
			a.KeySpec, _ = strconv.Atoi(n)
			a.ShowsKeySpec = true
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
		a.From = servers.Since(p.word(" ()|{}[]<"))
	} else if p.accept(">") {
		a.Since = servers.Since(p.word(" ()|{}[]<"))
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
	s := a.Shown()
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
