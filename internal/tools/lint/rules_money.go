package lint

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var moneyRules = []*Rule{
	{
		ID: "float-money", Severity: Warning,
		Summary: "an amount of money that is a fraction",
		Why: "`INCRBYFLOAT` adds binary fractions, so cents drift, and a fraction that a script returns is cut to an\n" +
			"integer: 1.99 becomes 1. Count in the smallest unit, with `INCRBY` and integers, and round what you divide.",
		Bad:   Example{Script: "return redis.call('HINCRBYFLOAT', KEYS[1], 'balance', ARGV[1])"},
		Good:  Example{Script: "return redis.call('HINCRBY', KEYS[1], 'balance', ARGV[1])"},
		check: checkMoney,
	},
	{
		ID: "lock-without-ttl", Severity: Warning,
		Summary: "a lock that never expires",
		Why: "SETNX (or SET with NX) creates the key, and nothing in the script gives it a time to live. If the holder\n" +
			"crashes, the lock stays for ever. Write `SET key token NX PX milliseconds`.",
		Bad:   Example{Script: "return redis.call('SETNX', KEYS[1], ARGV[1])"},
		Good:  Example{Script: "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])"},
		check: checkLocks,
	},
}

var moneyName = regexp.MustCompile(`(?i)(^|[^a-z])(amount|price|money|balance|cash|fee|wallet|refund|payment)s?($|[^a-z])`)

// namesMoney reports whether a name stands for money: total_amount, itemPrice.
func namesMoney(name string) bool {
	return moneyName.MatchString(camel.ReplaceAllString(name, "${1}_$2"))
}

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// money returns the name in an expression that stands for money, or "".
func (p *pass) money(e luatree.Expr) string {
	found := ""
	p.walk(e, func(n luatree.Node) bool {
		switch n := n.(type) {
		case *luatree.Name:
			if namesMoney(n.Text) {
				found = n.Text
			}
		case *luatree.String:
			if namesMoney(n.Value) {
				found = n.Value
			}
		}
		return found == ""
	})
	if text, ok := p.constant(e); ok && found == "" && namesMoney(text) {
		found = text
	}
	return found
}

func checkMoney(p *pass) {
	for _, c := range p.calls {
		last := p.increment(c)
		if last == 0 {
			continue
		}
		for _, a := range c.args[1:min(last+1, len(c.args))] {
			if name := p.money(a); name != "" {
				p.report(c.Span(), "%s makes %s a binary fraction; count in the smallest unit", c.name(), name)
				break
			}
		}
	}
	for _, c := range p.calls {
		if c.has(cmdtable.Write) {
			for _, a := range c.args[1:] {
				if name := p.dividedMoney(a); name != "" {
					p.report(a.Span(), "%s stores a fraction of %s; round it to the smallest unit", c.name(), name)
				}
			}
		}
	}
	for _, r := range p.returns[p.tree.Main] {
		for _, v := range r.Values {
			p.checkReturnedMoney(v)
			if t, ok := v.(*luatree.Table); ok {
				for _, f := range t.Fields {
					p.checkReturnedMoney(f.Value)
				}
			}
		}
	}
}

// increment returns the place of the fraction that a command adds, 0 if it does not.
func (p *pass) increment(c *call) int {
	if c.spec == nil {
		return 0
	}
	return 1 + slices.IndexFunc(p.l.arguments(c.spec, ""), func(a cmdtable.Arg) bool { return a.Name == "increment" && a.Type == "double" })
}

// checkReturnedMoney reports a fraction of money that a script returns.
func (p *pass) checkReturnedMoney(e luatree.Expr) {
	if name := p.dividedMoney(e); name != "" {
		p.report(e.Span(), "Redis cuts the fraction of %s from the result; return a text or the smallest unit", name)
	}
}

// dividedMoney returns the name of the money of which an expression is a quotient, or a product
// with a fraction; else "".
func (p *pass) dividedMoney(e luatree.Expr) string {
	b, ok := p.deref(e).(*luatree.Binary)
	if !ok || b.Op != "/" && !(b.Op == "*" && (p.fraction(b.L) || p.fraction(b.R))) {
		return ""
	}
	name := p.money(b)
	if x, ok := e.(*luatree.Name); ok && name == "" && namesMoney(x.Text) {
		name = x.Text
	}
	return name
}

func (p *pass) fraction(e luatree.Expr) bool {
	n, ok := p.number(e)
	return ok && n != math.Trunc(n)
}

func checkLocks(p *pass) {
	expiring, all := p.expiring()
	replaced, ignored := p.valueKeys()
	for _, c := range p.calls {
		if len(c.args) < 3 || c.open {
			continue
		}
		switch {
		case c.is("SETNX"):
		case c.is("SET") && c.option(3, "NX") && !c.unknownFrom(3) && !c.option(3, "EX", "PX", "EXAT", "PXAT", "KEEPTTL"):
		default:
			continue
		}
		key := p.canonical(c.args[1])
		_, constant := p.constant(c.args[2])
		counter := constant && c.words[2] != "1" // it starts at a constant
		isValue := counter || replaced[key] || ignored[c.Call] || c.is("SET") && c.option(3, "GET")
		named := lockName.MatchString(strings.ToLower(p.tree.Text(c.args[1].Span())))
		if !all && !expiring[key] && (named || !isValue) {
			p.report(c.Span(), "%s takes %s, which never expires: nothing in the script gives it a time to live",
				c.name(), p.quote(c.args[1]))
		}
	}
}

// expiring returns the keys that some command of the script gives a time to live. all reports
// whether one of them may be any key.
func (p *pass) expiring() (keys map[string]bool, all bool) {
	keys = map[string]bool{}
	for _, c := range p.calls {
		if len(c.args) < 2 {
			continue
		}
		if c.changesLifetime() {
			keys[p.canonical(c.args[1])] = true
			all = all || p.origins(c.args[1]).own&fromUnknown != 0
		}
	}
	return keys, all
}

// changesLifetime reports whether a call gives its key a time to live or removes it, or may do so.
func (c *call) changesLifetime() bool {
	switch {
	case c.spec == nil:
	case c.spec.Lifetime == cmdtable.LifetimeSet, c.spec.Lifetime == cmdtable.LifetimeEnds:
		return true
	case c.spec.Lifetime == cmdtable.LifetimeOption:
		return c.option(c.spec.MinArgs, "EX", "PX", "EXAT", "PXAT") || c.unknownFrom(c.spec.MinArgs)
	}
	return false
}

// valueKeys returns the keys whose values the script replaces, whether they are there or not, and
// the calls whose replies it ignores. A script that compares and swaps, or that reads a value and
// sets it if it is missing, takes no lock.
func (p *pass) valueKeys() (replaced map[string]bool, ignored map[*luatree.Call]bool) {
	replaced, ignored = map[string]bool{}, map[*luatree.Call]bool{}
	for _, c := range p.calls {
		if len(c.args) > 1 && (c.is("GETSET") || c.is("SET") && !c.unknownFrom(3) && !c.option(3, "NX")) {
			replaced[p.canonical(c.args[1])] = true
		}
	}
	for _, n := range p.nodes {
		if s, ok := n.(*luatree.CallStmt); ok {
			ignored[s.Call] = true
		}
	}
	return replaced, ignored
}

var lockName = regexp.MustCompile(`lock|mutex|lease|semaphore`)
