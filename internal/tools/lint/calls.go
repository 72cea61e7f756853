package lint

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// call is a call of redis.call or redis.pcall whose command is a constant.
type call struct {
	*luatree.Call
	protected bool           // redis.pcall, or pcall(redis.call, …)
	wrapped   bool           // pcall(redis.call, …): the first result is not the reply
	args      []luatree.Expr // with the name of the command
	words     []string       // the arguments; those that are not constants are unknownWord
	open      bool           // the last argument may stand for any number of them; words omits it
	spec      *cmdtable.Spec // the row of the newest version; nil: there is no such command
}

// unknownWord stands for an argument that is not a constant. No constant has this text.
const unknownWord = "\x00?"

// registration is a function that the text of a library registers.
type registration struct {
	name  string
	flags []string
	call  *luatree.Call
}

// name returns the name of the command as people write it: "CONFIG GET".
func (c *call) name() string {
	if c.spec == nil {
		return strings.ToUpper(c.words[0])
	}
	if c.spec.Parent != nil {
		return strings.ToUpper(c.spec.Parent.Name + " " + c.spec.Name)
	}
	return strings.ToUpper(c.spec.Name)
}

// is reports whether the command has one of the names, in upper case.
func (c *call) is(names ...string) bool {
	name := c.name()
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// has reports whether the command has a flag.
func (c *call) has(f cmdtable.Flag) bool { return c.spec != nil && c.spec.Flags&f != 0 }

// option reports whether a keyword is among the arguments from a place on.
func (c *call) option(from int, names ...string) bool {
	for i := from; i < len(c.words); i++ {
		for _, n := range names {
			if strings.EqualFold(c.words[i], n) {
				return true
			}
		}
	}
	return false
}

// unknownFrom reports whether an argument from a place on is not a constant.
func (c *call) unknownFrom(from int) bool {
	for i := from; i < len(c.words); i++ {
		if c.words[i] == unknownWord {
			return true
		}
	}
	return c.open
}

// word returns a constant argument, or "".
func (c *call) word(i int) string {
	if i < len(c.words) && c.words[i] != unknownWord {
		return c.words[i]
	}
	return ""
}

// collectCalls finds the calls of commands and the functions that a library registers.
func (p *pass) collectCalls() {
	for _, n := range p.nodes {
		c, ok := n.(*luatree.Call)
		if !ok || c.Method != nil {
			continue
		}
		fn, args := c.Func, c.Args
		if p.libraryField(fn) == "pcall" && len(args) > 0 {
			fn, args = args[0], args[1:]
		}
		wrapped := len(c.Args) != len(args)
		switch p.libraryField(fn) {
		case "redis.call":
			p.addCall(&call{Call: c, args: args, protected: wrapped, wrapped: wrapped})
		case "redis.pcall":
			p.addCall(&call{Call: c, args: args, protected: true, wrapped: wrapped})
		case "redis.setresp":
			p.resp3 = true
		case "redis.register_function":
			p.register(c)
		}
	}
}

// addCall adds a call if its command is a constant.
func (p *pass) addCall(c *call) {
	if len(c.args) == 0 {
		return
	}
	first, ok := p.constant(c.args[0])
	if !ok {
		return
	}
	c.words = []string{first}
	for i, a := range c.args[1:] {
		if i == len(c.args)-2 && multi(a) {
			if call, ok := a.(*luatree.Call); !ok || p.manyResults(call) {
				c.open = true
				break
			}
		}
		word, ok := p.constant(a)
		if !ok {
			word = unknownWord
		}
		c.words = append(c.words, word)
	}
	if c.words[0] != "" {
		c.spec = p.l.resolve(c.words)
	}
	p.calls = append(p.calls, c)
	p.byCall[c.Call] = c
}

// reply returns the call of a command whose reply is the first result of a call of Lua, or nil.
func (p *pass) reply(n *luatree.Call) *call {
	if c := p.byCall[n]; c != nil && !c.wrapped {
		return c
	}
	return nil
}

// oneResult names the functions of Lua that always have exactly one result.
var oneResult = map[string]bool{"tonumber": true, "tostring": true, "type": true, "redis.call": true, "redis.pcall": true,
	"string.format": true, "string.sub": true, "string.lower": true, "string.upper": true, "string.len": true, "string.rep": true,
	"table.concat": true, "math.floor": true, "math.ceil": true, "math.max": true, "math.min": true, "math.abs": true,
	"math.random": true, "cjson.encode": true, "cmsgpack.pack": true, "redis.sha1hex": true, "struct.pack": true}

// manyResults reports whether a call may have another number of results than one.
func (p *pass) manyResults(c *luatree.Call) bool {
	if c.Method != nil {
		switch c.Method.Value {
		case "format", "sub", "lower", "upper", "len", "rep":
			return false
		}
		return true
	}
	if f, ok := p.deref(c.Func).(*luatree.Function); ok {
		for _, r := range p.returns[f] {
			if len(r.Values) != 1 || multi(r.Values[0]) {
				return true
			}
		}
		return len(p.returns[f]) == 0
	}
	return !oneResult[p.libraryField(c.Func)]
}

// register notes a call of redis.register_function.
func (p *pass) register(c *luatree.Call) {
	r := &registration{call: c}
	var callback luatree.Expr
	switch {
	case len(c.Args) == 2:
		r.name, _ = p.constant(c.Args[0])
		callback = c.Args[1]
	case len(c.Args) == 1:
		t, ok := p.deref(c.Args[0]).(*luatree.Table)
		if !ok {
			return
		}
		for _, f := range t.Fields {
			key, _ := f.Key.(*luatree.String)
			if key == nil {
				continue
			}
			switch key.Value {
			case "function_name":
				r.name, _ = p.constant(f.Value)
			case "callback":
				callback = f.Value
			case "flags":
				r.flags = p.list(f.Value)
			}
		}
	}
	if callback == nil {
		return
	}
	if f, ok := p.deref(callback).(*luatree.Function); ok {
		p.registered[f] = r
	}
}

// list returns the constants of a constructor.
func (p *pass) list(e luatree.Expr) []string {
	t, ok := p.deref(e).(*luatree.Table)
	if !ok {
		return nil
	}
	var list []string
	for _, f := range t.Fields {
		if text, ok := p.constant(f.Value); ok && f.Key == nil {
			list = append(list, text)
		}
	}
	return list
}

// reaches returns the calls of commands that a function may make, as far as calls of local
// functions show it. all reports whether there can be no others.
func (p *pass) reaches(f *luatree.Function) (found []*call, all bool) {
	all = true
	seen := map[*luatree.Function]bool{}
	var visit func(f *luatree.Function)
	visit = func(f *luatree.Function) {
		if seen[f] || len(seen) > maxDepth {
			return
		}
		seen[f] = true
		p.walk(f.Body, func(n luatree.Node) bool {
			c, ok := n.(*luatree.Call)
			if !ok {
				return true
			}
			if command := p.byCall[c]; command != nil {
				found = append(found, command)
				return true
			}
			inner, known := p.deref(c.Func).(*luatree.Function)
			if known {
				visit(inner)
				return true
			}
			switch p.libraryField(c.Func) {
			case "redis.call", "redis.pcall", "pcall", "xpcall", "loadstring", "load":
				all = false
			case "":
				all = all && c.Method != nil
			}
			return true
		})
	}
	visit(f)
	return found, all
}
