package lint

import (
	"math"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var resultRules = []*Rule{
	{
		ID: "returned-fraction", Severity: Warning,
		Summary: "a quotient or a fraction that a script returns",
		Why: "Redis cuts a number that a script returns to an integer: 0.5 becomes 0, and 7 / 2 becomes 3. Write\n" +
			"`math.floor` where that is meant, and `tostring` where the caller needs the fraction.",
		Bad:   Example{Script: "return redis.call('LLEN', KEYS[1]) / 2"},
		Good:  Example{Script: "return math.floor(redis.call('LLEN', KEYS[1]) / 2)"},
		check: checkFractions,
	},
	{
		ID: "nil-in-reply", Severity: Error,
		Summary: "nil in a list that a script returns",
		Why: "The reply ends before the first nil, and what stands behind it is lost. Write `false`, which becomes a null,\n" +
			"or a text.",
		Bad:   Example{Script: "return {redis.call('LLEN', KEYS[1]), nil, ARGV[1]}"},
		Good:  Example{Script: "return {redis.call('LLEN', KEYS[1]), false, ARGV[1]}"},
		check: checkHoles,
	},
}

// results calls visit for what the script, or a function that it registers, returns to the caller,
// and for the elements of lists in it. Each expression is visited once.
func (p *pass) results(visit func(e luatree.Expr)) {
	seen := map[luatree.Expr]bool{}
	var visitAll func(e luatree.Expr)
	visitAll = func(e luatree.Expr) {
		visit(e)
		x := p.deref(e)
		if seen[x] {
			return
		}
		seen[x] = true
		if t, ok := x.(*luatree.Table); ok {
			for _, f := range t.Fields {
				if f.Key == nil {
					visitAll(f.Value)
				}
			}
		}
	}
	for _, f := range append(p.functions(), p.tree.Main) {
		for _, r := range p.returns[f] {
			if len(r.Values) > 0 {
				visitAll(r.Values[0]) // Redis ignores the others
			}
		}
	}
}

func checkFractions(p *pass) {
	money := p.l.severities["float-money"] != Off
	p.results(func(e luatree.Expr) {
		if money && p.dividedMoney(e) != "" {
			return // that rule reports it
		}
		if p.isFraction(e) {
			p.report(e.Span(), "Redis cuts the fraction of %s; write math.floor, or tostring to keep it", p.quote(e))
		}
	})
}

// isFraction reports whether an expression is a number that is, or probably is, not an integer.
func (p *pass) isFraction(e luatree.Expr) bool {
	b, ok := p.deref(e).(*luatree.Binary)
	if !ok {
		return p.fraction(e)
	}
	l, constantL := p.number(b.L)
	r, constantR := p.number(b.R)
	switch b.Op {
	case "/":
		if constantL && constantR {
			return l/r != math.Trunc(l/r)
		}
		return !p.dividesEvenly(b, r, constantR)
	case "*":
		return (p.fraction(b.L) || p.fraction(b.R)) && !(constantL && constantR && l*r == math.Trunc(l*r))
	}
	return false
}

// dividesEvenly reports whether a division probably has an integer as its result: (x - x % n) / n,
// half of the length of a flat list of pairs, or a division by one or by 0.001.
func (p *pass) dividesEvenly(x *luatree.Binary, by float64, constant bool) bool {
	if constant && 1/by == math.Trunc(1/by) {
		return true
	}
	if length, ok := p.deref(x.L).(*luatree.Unary); ok && length.Op == "#" && constant && by == 2 {
		return true
	}
	sum, ok := p.deref(x.L).(*luatree.Binary)
	return ok && (sum.Op == "+" || sum.Op == "-") && (p.isRest(sum.L) || p.isRest(sum.R))
}

// isRest reports whether an expression is x % n.
func (p *pass) isRest(e luatree.Expr) bool {
	b, ok := p.deref(e).(*luatree.Binary)
	return ok && b.Op == "%"
}

func checkHoles(p *pass) {
	seen := map[*luatree.Table]bool{}
	p.results(func(e luatree.Expr) {
		if name, ok := e.(*luatree.Name); ok && name.Local != nil && (len(p.stores[name.Local]) > 0 || p.given[name.Local]) {
			return // the hole may be filled
		}
		t, ok := p.deref(e).(*luatree.Table)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		var hole luatree.Expr
		for _, f := range t.Fields {
			switch empty := p.kinds(f.Value) == isNil; {
			case f.Key != nil:
				return // not only a list
			case empty && hole == nil:
				hole = f.Value
			case !empty && hole != nil:
				p.report(hole.Span(), "the reply ends before this element, which is nil; write false")
				return
			}
		}
	})
}
