package lint

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var missingRules = []*Rule{
	{
		ID: "missing-value", Severity: Info,
		Summary: "a reply that may be missing, or a number made of it, used without a check",
		Why: "What is missing is `false`, `tonumber` of it is nil, and `..`, arithmetic or `<` with either stops the script\n" +
			"in the middle. Write `reply or ''` or `tonumber(reply or 0)`, or check the reply first. A script that asks\n" +
			"for the key with EXISTS or LLEN, or that sets it before, is not reported.",
		Bad:   Example{Script: "local stock = tonumber(redis.call('GET', KEYS[1]))\nreturn stock - 1"},
		Good:  Example{Script: "local stock = tonumber(redis.call('GET', KEYS[1]) or 0)\nreturn stock - 1"},
		check: checkMissing,
	},
	{
		ID: "unchecked-error", Severity: Warning,
		Summary: "the reply of redis.pcall used without a check for an error",
		Why: "`redis.pcall` returns an error as a table with the field `err`. Arithmetic, `<` and `..` fail with a table,\n" +
			"and the error of Redis is lost. Check `reply.err` (after `type(reply) == 'table'`), or use `redis.call`.",
		Bad: Example{Script: "local n = redis.pcall('INCR', KEYS[1])\nif n > 5 then\n  return 0\nend\nreturn 1"},
		Good: Example{Script: "local n = redis.pcall('INCR', KEYS[1])\nif type(n) == 'table' then\n  return n\nend\n" +
			"if n > 5 then\n  return 0\nend\nreturn 1"},
		check: checkErrors,
	},
}

// operations are the operators that fail with false, nil and tables.
var operations = []string{"+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", ".."}

// checkMissing reports operands that are a reply that may be false, or tonumber of it, unless the
// script checks the reply, the number or the key anywhere.
func checkMissing(p *pass) {
	asked := p.asked()
	p.replyOperands(func(b *luatree.Binary, e, reply luatree.Expr, c *call) bool {
		k := p.replyKinds(c)
		if c.protected || k != isText|isFalse && k != isNumber|isFalse || p.isTested(e) || p.isTested(reply) || p.isAsked(asked, c) {
			return false
		}
		what := "false"
		if p.deref(e) != p.deref(reply) {
			what = "nil"
		} else if b.Op != ".." && k&isText != 0 {
			return false // text-arithmetic and text-as-number report it
		}
		p.report(e.Span(), "%s is %s if the reply of %s is missing, and %s then fails", p.quote(e), what, c.name(), b.Op)
		return true
	})
}

// replyOperands calls visit for each operand e that is a reply, or tonumber of it, until visit
// reports the operand.
func (p *pass) replyOperands(visit func(b *luatree.Binary, e, reply luatree.Expr, c *call) bool) {
	reported := map[luatree.Expr]bool{}
	for _, b := range p.binaries(operations...) {
		for _, e := range []luatree.Expr{b.L, b.R} {
			used, ok := p.deref(e).(*luatree.Call)
			if !ok || reported[used] {
				continue
			}
			reply := e
			if len(used.Args) > 0 && p.libraryField(used.Func) == "tonumber" {
				reply = used.Args[0]
			}
			if c := p.commandOf(reply); c != nil {
				reported[used] = visit(b, e, reply, c)
			}
		}
	}
}

// isTested reports whether an expression is a variable that the script tests anywhere: in a
// condition, with "and" or "or", or by a comparison with nil or false.
func (p *pass) isTested(e luatree.Expr) bool {
	name, ok := e.(*luatree.Name)
	return ok && name.Local != nil && p.tested[name.Local]
}

// asked returns for each key the place of the first command from which on the script knows whether
// the key exists: 0 if it asks Redis or tests a reply anywhere, or where it sets the key.
func (p *pass) asked() map[string]int {
	keys := map[string]int{}
	note := func(key string, at int) {
		if first, known := keys[key]; !known || at < first {
			keys[key] = at
		}
	}
	for _, c := range p.calls {
		switch {
		case len(c.args) < 2:
		case p.asks[c.Call]:
			note(p.canonical(c.args[1]), 0)
		case c.has(cmdtable.ReadOnly) && (p.replyKinds(c) == isNumber || c.is("TYPE")):
			for _, key := range c.args[1:] {
				note(p.canonical(key), 0)
			}
		case c.has(cmdtable.Write) && c.has(cmdtable.DenyOOM):
			note(p.canonical(c.args[1]), c.Span().From)
		}
	}
	for l := range p.tested {
		if v := p.value(l); v != nil {
			if c := p.commandOf(v); c != nil && len(c.args) > 1 {
				note(p.canonical(c.args[1]), 0)
			}
		}
	}
	return keys
}

// isAsked reports whether the script knows whether the key of a call exists.
func (p *pass) isAsked(asked map[string]int, c *call) bool {
	key := 1
	if c.spec.Parent != nil {
		key = 2 // behind the subcommand
	}
	if len(c.args) <= key {
		return false
	}
	at, ok := asked[p.canonical(c.args[key])]
	return ok && at < c.Span().From
}

// checkErrors reports operands that are the reply of redis.pcall, or tonumber of it, unless the
// script looks at it.
func checkErrors(p *pass) {
	looked := p.lookedAt()
	checked := func(e luatree.Expr) bool {
		name, ok := e.(*luatree.Name)
		return ok && name.Local != nil && (p.tested[name.Local] || p.given[name.Local] || looked[name.Local])
	}
	p.replyOperands(func(b *luatree.Binary, e, reply luatree.Expr, c *call) bool {
		if !c.protected || checked(e) || checked(reply) {
			return false
		}
		what := "a table"
		if p.deref(e) != p.deref(reply) {
			what = "nil"
		}
		p.report(e.Span(), "%s is %s if %s fails, and %s then hides its error", p.quote(e), what, c.name(), b.Op)
		return true
	})
}

// lookedAt returns the locals of which the script reads a field.
func (p *pass) lookedAt() map[*luatree.Local]bool {
	looked := map[*luatree.Local]bool{}
	for _, n := range p.nodes {
		if x, ok := n.(*luatree.Index); ok {
			if name, ok := x.X.(*luatree.Name); ok && name.Local != nil {
				looked[name.Local] = true
			}
		}
	}
	return looked
}
