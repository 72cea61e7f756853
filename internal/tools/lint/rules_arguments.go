package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

var argumentRules = []*Rule{
	{
		ID: "bad-argument", Severity: Error,
		Summary: "an argument of a command that is neither a text nor a number",
		Why: "The call fails with `Lua redis lib command arguments must be strings or integers`: nil, booleans and tables\n" +
			"cannot be arguments. Pass a list with `unpack`, and write 0 and 1 for booleans.",
		Bad:   Example{Script: "return redis.call('SADD', KEYS[1], {ARGV[1], ARGV[2]})"},
		Good:  Example{Script: "return redis.call('SADD', KEYS[1], unpack({ARGV[1], ARGV[2]}))"},
		check: checkArguments,
	},
}

func checkArguments(p *pass) {
	for _, c := range p.calls {
		for i, a := range c.args {
			if i == len(c.args)-1 && multi(a) {
				continue // it may stand for no argument at all
			}
			k := p.kinds(a)
			switch {
			case k == isNil && isNilConstant(a):
				p.report(a.Span(), "nil cannot be an argument of %s", c.name())
			case k.only(isTrue | isFalse | isNil | isTable | isStatus):
				p.report(a.Span(), "%s is %s, which cannot be an argument of %s", p.quote(a), kindName(k), c.name())
			}
		}
	}
}

// kindName returns what a value of some types is called.
func kindName(k kinds) string {
	switch {
	case k == isNil:
		return "nil"
	case k.only(isBoolean):
		return "a boolean"
	case k.only(isTable | isStatus):
		return "a table"
	}
	return "no text or number"
}

// collectTests notes which locals and results of calls a node tests.
func (p *pass) collectTests(n luatree.Node) {
	test := func(e luatree.Expr) {
		for {
			paren, ok := e.(*luatree.Paren)
			if !ok {
				break
			}
			e = paren.X
		}
		switch e := e.(type) {
		case *luatree.Name:
			if e.Local != nil {
				p.tested[e.Local] = true
			}
		case *luatree.Call:
			p.asks[e] = true
		}
	}
	switch n := n.(type) {
	case *luatree.IfStmt:
		for _, b := range n.Branches {
			test(b.Cond)
		}
	case *luatree.WhileStmt:
		test(n.Cond)
	case *luatree.RepeatStmt:
		test(n.Cond)
	case *luatree.Unary:
		if n.Op == "not" {
			test(n.X)
		}
	case *luatree.Binary:
		switch n.Op {
		case "and", "or":
			test(n.L)
			test(n.R)
		case "==", "~=":
			test(n.L)
			test(n.R)
		}
	case *luatree.Call:
		if name := p.libraryField(n.Func); name == "assert" || name == "type" {
			for _, a := range n.Args {
				test(a)
			}
		}
	}
}
