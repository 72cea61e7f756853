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
	{
		ID: "missing-value", Severity: Info,
		Summary: "a number made of a reply that may be missing, used without a check",
		Why: "`tonumber` of a missing value is nil, and arithmetic with nil, or `<`, stops the script in the middle. Write\n" +
			"`tonumber(reply or 0)`, or check the reply first. A script that asks with EXISTS or HEXISTS is not reported.",
		Bad:   Example{Script: "local stock = tonumber(redis.call('GET', KEYS[1]))\nreturn stock - 1"},
		Good:  Example{Script: "local stock = tonumber(redis.call('GET', KEYS[1]) or 0)\nreturn stock - 1"},
		check: checkMissing,
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

// checkMissing reports tonumber of a reply that may be false, as an operand, unless the script
// checks the reply, the number or the key anywhere.
func checkMissing(p *pass) {
	reported, asked := map[luatree.Expr]bool{}, p.asked()
	for _, b := range p.binaries("+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=") {
		for _, e := range []luatree.Expr{b.L, b.R} {
			number, ok := p.deref(e).(*luatree.Call)
			if !ok || len(number.Args) == 0 || reported[number] || p.libraryField(number.Func) != "tonumber" {
				continue
			}
			c := p.commandOf(number.Args[0])
			if c == nil || c.protected || p.replyKinds(c) != isText|isFalse || p.isTested(e) || p.isTested(number.Args[0]) ||
				len(c.args) > 1 && asked[p.canonical(c.args[1])] {
				continue
			}
			reported[number] = true
			p.report(e.Span(), "%s is nil if the reply of %s is missing, and %s then fails", p.quote(e), c.name(), b.Op)
		}
	}
}

// isTested reports whether an expression is a variable that the script tests anywhere: in a
// condition, with "and" or "or", or by a comparison with nil or false.
func (p *pass) isTested(e luatree.Expr) bool {
	name, ok := e.(*luatree.Name)
	return ok && name.Local != nil && p.tested[name.Local]
}

// asked returns the keys of which the script asks Redis whether they exist.
func (p *pass) asked() map[string]bool {
	keys := map[string]bool{}
	for _, c := range p.calls {
		if len(c.args) > 1 && c.is("EXISTS", "HEXISTS", "TYPE", "SISMEMBER", "LLEN", "ZCARD", "STRLEN") {
			keys[p.canonical(c.args[1])] = true
		}
	}
	return keys
}

// collectTests notes which locals a node tests.
func (p *pass) collectTests(n luatree.Node) {
	test := func(e luatree.Expr) {
		for {
			paren, ok := e.(*luatree.Paren)
			if !ok {
				break
			}
			e = paren.X
		}
		if name, ok := e.(*luatree.Name); ok && name.Local != nil {
			p.tested[name.Local] = true
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
