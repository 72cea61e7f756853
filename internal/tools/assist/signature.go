package assist

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Signature is the call around a place, with its parameters.
type Signature struct {
	Label  string
	Doc    string   // Markdown
	Params []string // in the order in which they stand in Label
	Active int      // the parameter at the place; -1: none
}

// Signature returns the call around an offset, or nil.
func (d *Document) Signature(at int) *Signature {
	d.begin()
	defer d.end()
	c := d.callAt(at)
	if c == nil {
		return nil
	}
	if s, name := d.command(c); s != nil && len(s.Subs) == 0 {
		return commandSignature(s, c.words[name:], d.typed(c, at))
	}
	if s := d.scriptFunction(c); s != nil {
		return s
	}
	e := library()[c.callee]
	if c.isMethod {
		e = library()["string."+c.callee[strings.LastIndexAny(c.callee, ".:")+1:]]
	}
	if e == nil || !e.isFunc {
		return nil
	}
	params := e.params
	if c.isMethod {
		params = params[1:]
	}
	return &Signature{e.label(), e.text, params, active(params, len(c.words))}
}

// active returns the parameter that argument n belongs to, or -1.
func active(params []string, n int) int {
	switch {
	case n < len(params):
		return n
	case len(params) > 0 && params[len(params)-1] == "...":
		return len(params) - 1
	}
	return -1
}

// commandSignature returns the arguments of a command after the typed words. word is the one at the
// place.
func commandSignature(s *cmdtable.Spec, words []string, word string) *Signature {
	sig := &Signature{Label: commandLabel(s), Doc: s.Summary + ".", Params: s.Texts(), Active: -1}
	e := s.Expect(words)
	sig.Active = e.Place
	for _, t := range e.Tokens {
		if word != "" && strings.HasPrefix(t.Word, strings.ToUpper(word)) {
			sig.Active = t.Arg.Place()
			break
		}
	}
	return sig
}

// typed returns the constant at a place of a call, as far as it is typed.
func (d *Document) typed(c *callSite, at int) string {
	text := strings.TrimSpace(d.Text[min(c.from, at):at])
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return ""
	}
	return strings.Trim(text, `'"`)
}

// scriptFunction returns the signature of a function of the script.
func (d *Document) scriptFunction(c *callSite) *Signature {
	name, ok := strings.CutPrefix(c.callee, "local ")
	if !ok || strings.Contains(name, ".") {
		return nil
	}
	l := d.local(name, c.from-1)
	if l == nil {
		return nil
	}
	f := functionOf(l)
	if f == nil {
		return nil
	}
	return &Signature{name + d.params(f), d.commentAbove(l), paramNames(f), active(paramNames(f), len(c.words))}
}

// paramNames returns the parameters of a function.
func paramNames(f *luatree.Function) []string {
	var names []string
	for _, p := range f.Params {
		if p.Range != (Range{}) {
			names = append(names, p.Name)
		}
	}
	if f.Vararg {
		names = append(names, "...")
	}
	return names
}
