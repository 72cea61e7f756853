package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var fieldRules = []*Rule{
	{
		ID: "missing-field", Severity: Error,
		Summary: "a field that a library does not have",
		Why: "The libraries are those of Lua 5.1 and of Redis, and their names have upper and lower case. Reading another\n" +
			"name gives nil, and calling that fails. `--fix --unsafe-fixes` writes the name that was meant, if it is clear.",
		Bad:   Example{Script: "return redis.Call('GET', KEYS[1])"},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])"},
		check: checkFields,
	},
	{
		ID: "failing-call", Severity: Error,
		Summary: "a call of a library that always fails",
		Why: "`redis.log` takes a level (`redis.LOG_WARNING`) and a text, `redis.setresp` 2 or 3, and `redis.sha1hex`,\n" +
			"`cjson.encode` and `cjson.decode` exactly one argument.",
		Bad:   Example{Script: "redis.log('warning', 'no stock')\nreturn 0"},
		Good:  Example{Script: "redis.log(redis.LOG_WARNING, 'no stock')\nreturn 0"},
		check: checkLibraryCalls,
	},
}

// meant are the names that people write for others.
var meant = map[string]string{
	"table.unpack": "unpack", "cjson.stringify": "cjson.encode", "cjson.parse": "cjson.decode",
	"redis.LOG_WARN": "redis.LOG_WARNING", "redis.LOG_INFO": "redis.LOG_NOTICE", "redis.LOG_ERROR": "redis.LOG_WARNING",
	"redis.error": "redis.error_reply", "redis.status": "redis.status_reply", "redis.sha1": "redis.sha1hex",
	"string.length": "string.len", "string.substr": "string.sub", "table.size": "table.getn",
}

// checkFields reports calls of fields that a library does not have, and such fields as arguments.
// Where the text also asks whether the field is there, it knows.
func checkFields(p *pass) {
	asked := p.askedFields()
	seen := map[place]bool{}
	report := func(e luatree.Expr, called bool) {
		x, ok := e.(*luatree.Index)
		if !ok {
			return
		}
		name := p.libraryField(x)
		library, field, ok := strings.Cut(name, ".")
		fields := luatext.LibraryFields(library)
		if !ok || fields == nil || slices.Contains(fields, field) || asked[name] || p.library && name == "redis.register_function" {
			return
		}
		here := p.placed(x.From, name)
		if seen[here] {
			return // the same mistake again
		}
		seen[here] = true
		right := meant[name]
		for _, f := range fields {
			if strings.EqualFold(f, field) {
				right = library + "." + f
			}
		}
		message := "there is no %s, so the argument is nil"
		if called {
			message = "there is no %s, and calling it fails"
		}
		if right != "" {
			message += "; write " + right
		}
		f := p.report(x.Span(), message, name)
		if right != "" && p.quote(x) == name {
			p.replace(f, "write "+right, x.Span(), right)
		}
	}
	for _, n := range p.nodes {
		if c, ok := n.(*luatree.Call); ok {
			report(c.Func, true)
			for _, a := range c.Args {
				report(a, false)
			}
		}
	}
}

// askedFields returns the fields of libraries whose presence the text asks for, or that it sets.
func (p *pass) askedFields() map[string]bool {
	asked := map[string]bool{}
	note := func(list ...luatree.Expr) {
		for _, e := range list {
			if x, ok := e.(*luatree.Index); ok {
				asked[p.libraryField(x)] = true
			}
		}
	}
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.Binary:
			switch n.Op {
			case "and", "or", "==", "~=":
				note(n.L, n.R)
			}
		case *luatree.Unary:
			if n.Op == "not" {
				note(n.X)
			}
		case *luatree.IfStmt:
			for _, b := range n.Branches {
				note(b.Cond)
			}
		case *luatree.Call:
			if f := p.libraryField(n.Func); f == "type" || f == "tostring" {
				note(n.Args...)
			}
		case *luatree.AssignStmt:
			note(n.Targets...) // read-only-library reports that
		case *luatree.FunctionStmt:
			note(n.Target)
		}
	}
	return asked
}

// argumentCounts are the functions of libraries that take a number of arguments: from, to.
var argumentCounts = map[string][2]int{
	"redis.log": {2, 1 << 20}, "redis.setresp": {1, 1}, "redis.sha1hex": {1, 1}, "redis.set_repl": {1, 1},
	"cjson.encode": {1, 1}, "cjson.decode": {1, 1}, "tonumber": {1, 1 << 20}, "tostring": {1, 1 << 20}, "type": {1, 1 << 20},
	"redis.acl_check_cmd": {1, 1 << 20},
}

// checkLibraryCalls reports calls whose arguments the function never takes.
func checkLibraryCalls(p *pass) {
	for _, n := range p.nodes {
		c, ok := n.(*luatree.Call)
		if !ok || c.Method != nil {
			continue
		}
		name := p.libraryField(c.Func)
		bounds, ok := argumentCounts[name]
		if !ok {
			continue
		}
		count := len(c.Args)
		open := count > 0 && multi(c.Args[count-1])
		switch {
		case !open && (count < bounds[0] || count > bounds[1]):
			p.report(c.Span(), "%s gets %d arguments, and fails", name, count)
		case open && count-1 > bounds[1]:
			p.report(c.Span(), "%s gets %d arguments or more, and fails", name, count-1)
		case name == "redis.log" && count > 1:
			p.checkLevel(c)
		case name == "redis.setresp" && count == 1:
			v, known := p.constant(c.Args[0])
			if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); known && (err != nil || n < 2 || n >= 4) { // 2.9 is 2
				p.report(c.Span(), "redis.setresp takes 2 or 3, and fails with %s", p.quote(c.Args[0]))
			}
		}
	}
}

// checkLevel reports a call of redis.log whose level is none.
func (p *pass) checkLevel(c *luatree.Call) {
	if text, isText := c.Args[0].(*luatree.String); isText {
		if _, err := strconv.ParseFloat(strings.TrimSpace(text.Value), 64); err != nil {
			p.report(c.Span(), "the level of redis.log is a number, such as redis.LOG_WARNING; with %s it fails", p.quote(text))
			return
		}
	}
	if n, ok := p.number(c.Args[0]); ok && (n < 0 || n >= 4) {
		p.report(c.Span(), "the levels of redis.log are 0 to 3; with %s it fails", p.quote(c.Args[0]))
	}
}
