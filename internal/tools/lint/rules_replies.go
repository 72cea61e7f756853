package lint

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var replyRules = []*Rule{
	{
		ID: "false-compared-with-nil", Severity: Error,
		Summary: "a reply compared with nil",
		Why: "What is missing is `false` in a script, never `nil`, so `== nil` is never true. Write `not v` or\n" +
			"`v == false`. `--fix --unsafe-fixes` replaces `nil` by `false`.",
		Bad:   Example{Script: "local v = redis.call('GET', KEYS[1])\nif v == nil then\n  return 0\nend\nreturn v"},
		Good:  Example{Script: "local v = redis.call('GET', KEYS[1])\nif not v then\n  return 0\nend\nreturn v"},
		check: checkNil,
	},
	{
		ID: "null-compared-with-nil", Severity: Error,
		Summary: "the null of JSON compared with nil or false",
		Why: "`cjson.decode` makes `cjson.null` of null, which is neither nil nor false and counts as true. A result of\n" +
			"`cjson.decode` is therefore never nil. Compare with `cjson.null`; a field that is absent is nil.\n" +
			"`--fix --unsafe-fixes` writes `cjson.null`.",
		Bad:   Example{Script: "local user = cjson.decode(ARGV[1])\nif user == nil then\n  return 0\nend\nreturn user.name"},
		Good:  Example{Script: "local user = cjson.decode(ARGV[1])\nif user == cjson.null then\n  return 0\nend\nreturn user.name"},
		check: checkNulls,
	},
	{
		ID: "number-as-condition", Severity: Error,
		Summary: "a reply that is a number, used as a condition",
		Why: "0 counts as true in Lua, so the condition always holds, also in `reply and a or b`. Compare with 1 or\n" +
			"0.",
		Bad:   Example{Script: "if redis.call('EXISTS', KEYS[1]) then\n  return 1\nend\nreturn 0"},
		Good:  Example{Script: "if redis.call('EXISTS', KEYS[1]) == 1 then\n  return 1\nend\nreturn 0"},
		check: checkConditions,
	},
	{
		ID: "status-as-text", Severity: Error,
		Summary: "a status reply compared with a text",
		Why: "`OK`, and the type that TYPE replies, come as a table whose field `ok` has the text, so the table is never\n" +
			"equal to the text. Write `reply.ok == 'OK'` or `reply['ok'] == 'OK'`.",
		Bad:   Example{Script: "return redis.call('TYPE', KEYS[1]) == 'hash'"},
		Good:  Example{Script: "return redis.call('TYPE', KEYS[1]).ok == 'hash'"},
		check: checkStatus,
	},
	{
		ID: "list-by-name", Severity: Error,
		Summary: "a field of a reply that is a list",
		Why: "Scripts get arrays, also from `HGETALL`: field, value, field, value. A name is never an index of them, so the\n" +
			"result is always nil. Ask for the fields with `HGET` or `HMGET`, or walk over the list in steps of two.",
		Bad:   Example{Script: "local user = redis.call('HMGET', KEYS[1], 'name', 'mail')\nreturn user['name']"},
		Good:  Example{Script: "local user = redis.call('HMGET', KEYS[1], 'name', 'mail')\nreturn user[1]"},
		check: checkNames,
	},
	{
		ID: "text-as-number", Severity: Error,
		Summary: "an argument or a reply compared with a number, although it is a text",
		Why: "A text is never equal to a number, and `<` fails with `attempt to compare number with string`. Write\n" +
			"`tonumber(ARGV[1])`. `--fix --unsafe-fixes` adds it to comparisons that always fail.",
		Bad:   Example{Script: "if redis.call('LLEN', KEYS[1]) < ARGV[1] then\n  return 1\nend\nreturn 0"},
		Good:  Example{Script: "if redis.call('LLEN', KEYS[1]) < tonumber(ARGV[1]) then\n  return 1\nend\nreturn 0"},
		check: checkComparisons,
	},
	{
		ID: "texts-ordered", Severity: Warning,
		Summary: "two texts compared by order",
		Why:     "`<` compares texts letter by letter: `'10' < '9'`. For numbers, write `tonumber` on both sides.",
		Bad:     Example{Script: "local old = redis.call('GET', KEYS[1])\nif old and old < ARGV[1] then\n  return 1\nend\nreturn 0"},
		Good: Example{Script: "local old = redis.call('GET', KEYS[1])\n" +
			"if old and tonumber(old) < tonumber(ARGV[1]) then\n  return 1\nend\nreturn 0"},
		check: checkTextOrder,
	},
	{
		ID: "text-arithmetic", Severity: Info,
		Summary: "arithmetic on an argument or a reply without tonumber",
		Why: "Lua converts the text silently, and the script stops in the middle if it is not a number or, for a reply,\n" +
			"is missing. Convert with `tonumber` (or `+ 0`) where the value comes in. The elements of TIME are always\n" +
			"numbers and not reported, and so are scores.",
		Bad:   Example{Script: "return redis.call('DECRBY', KEYS[1], ARGV[1] * 2)"},
		Good:  Example{Script: "return redis.call('DECRBY', KEYS[1], tonumber(ARGV[1]) * 2)"},
		check: checkArithmetic,
	},
}

// binaries returns the operations with one of some operators.
func (p *pass) binaries(ops ...string) []*luatree.Binary {
	var list []*luatree.Binary
	for _, n := range p.nodes {
		if b, ok := n.(*luatree.Binary); ok {
			for _, op := range ops {
				if b.Op == op {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

func isNilConstant(e luatree.Expr) bool {
	c, ok := e.(*luatree.Constant)
	return ok && c.Kind == luatree.Nil
}

func checkNil(p *pass) {
	if p.resp3 {
		return
	}
	for _, b := range p.binaries("==", "~=") {
		value, null := b.L, b.R
		if isNilConstant(value) {
			value, null = null, value
		}
		if !isNilConstant(null) || p.alsoTested(b, value) {
			continue
		}
		c := p.commandOf(value)
		element := false
		if x, ok := p.deref(value).(*luatree.Index); ok && c == nil {
			c, element = p.commandOf(x.X), true
			i, ok := p.number(x.Key)
			if c == nil || !ok || !c.is("MGET", "HMGET", "ZMSCORE") || c.open || int(i) > len(c.words)-1 || i < 1 {
				continue
			}
		}
		outcome := "never"
		if b.Op == "~=" {
			outcome = "always"
		}
		if c == nil {
			k := p.kinds(value)
			if k != 0 && k&isFalse != 0 && k.only(isText|isNumber|isFalse|isStatus|isTable) && p.origins(value).own&fromReply != 0 {
				f := p.report(b.Span(), "this is %s true: a reply is never nil, but false if there is none", outcome)
				p.replace(f, "compare with false", null.Span(), "false")
			}
			continue
		}
		k := p.replyKinds(c)
		f := p.report(b.Span(), "this is %s true: the reply of %s is never nil%s", outcome, c.name(), ifMissing(element || k&isFalse != 0))
		if element || k&isFalse != 0 {
			p.replace(f, "compare with false", null.Span(), "false")
		}
	}
}

func checkNulls(p *pass) {
	for _, b := range p.binaries("==", "~=") {
		value, nothing := b.L, b.R
		if p.kinds(value).only(isNil | isFalse) {
			value, nothing = nothing, value
		}
		outcome := "never"
		if b.Op == "~=" {
			outcome = "always"
		}
		switch {
		case p.libraryField(value) == "cjson.null" && p.kinds(nothing).only(isNil|isFalse):
			p.report(b.Span(), "this is %s true: cjson.null is neither nil nor false", outcome)
		case isNilConstant(nothing) && p.isDecoded(value) && !p.alsoTested(b, value):
			f := p.report(b.Span(), "this is %s true: cjson.decode makes cjson.null of null, never nil", outcome)
			p.replace(f, "compare with cjson.null", nothing.Span(), "cjson.null")
		}
	}
}

// isDecoded reports whether an expression is always a result of cjson.decode.
func (p *pass) isDecoded(e luatree.Expr) bool {
	c, ok := p.deref(e).(*luatree.Call)
	return ok && p.libraryField(c.Func) == "cjson.decode"
}

func ifMissing(may bool) string {
	if may {
		return ", but false if there is none"
	}
	return ""
}

// alsoTested reports whether the condition around a comparison tests the value in another way, so
// that the comparison is only for safety.
func (p *pass) alsoTested(b *luatree.Binary, value luatree.Expr) bool {
	whole := p.conditions[b]
	if whole == nil {
		return false
	}
	text := p.tree.Text(value.Span())
	is := func(e luatree.Expr) bool { return p.tree.Text(e.Span()) == text }
	found := false
	p.walk(whole, func(n luatree.Node) bool {
		switch n := n.(type) {
		case *luatree.Unary:
			found = found || n.Op == "not" && is(n.X)
		case *luatree.Binary:
			if n == b {
				return false
			}
			if n.Op == "and" || n.Op == "or" {
				found = found || is(n.L) || is(n.R)
			}
			if c, ok := n.R.(*luatree.Constant); ok && c.Kind == luatree.False {
				found = found || is(n.L)
			}
		}
		return !found
	})
	return found
}

func checkConditions(p *pass) {
	inCondition := map[luatree.Expr]bool{}
	var test func(e luatree.Expr)
	test = func(e luatree.Expr) {
		switch x := e.(type) {
		case *luatree.Paren:
			test(x.X)
		case *luatree.Binary:
			inCondition[x] = true
			if x.Op == "and" || x.Op == "or" {
				test(x.L)
				test(x.R)
			}
		case *luatree.Name, *luatree.Call:
			if c := p.commandOf(x); c != nil && p.replyKinds(c) == isNumber {
				p.report(x.Span(), "this is always true: the reply of %s is a number, and 0 is true in Lua", c.name())
			}
		case *luatree.Index:
			c := p.commandOf(x.X)
			if i, ok := p.number(x.Key); ok && i >= 1 && c != nil && !p.resp3 && c.is("SMISMEMBER") && !c.open && int(i) <= len(c.words)-2 {
				p.report(x.Span(), "this is always true: the elements of the reply of %s are numbers, and 0 is true in Lua", c.name())
			}
		}
	}
	for _, n := range p.nodes {
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
			if n.Op == "and" && !inCondition[n] {
				test(n.L)
			}
		}
	}
}

func checkStatus(p *pass) {
	for _, b := range p.binaries("==", "~=") {
		l, r := p.kinds(b.L), p.kinds(b.R)
		if l.only(isText) {
			l, r = r, l
		}
		if l&isStatus != 0 && l.only(isStatus|isFalse|isTable) && r.only(isText) {
			p.report(b.Span(), "a status reply is a table and never equal to a text; compare its field ok")
		}
	}
}

func checkNames(p *pass) {
	for _, n := range p.nodes {
		x, ok := n.(*luatree.Index)
		if !ok {
			continue
		}
		name, ok := x.Key.(*luatree.String)
		c := p.commandOf(x.X)
		if !ok || c == nil || c.protected || !p.isFlat(c) {
			continue
		}
		p.report(x.Span(), "this is always nil: the reply of %s is a list and has no field %s", c.name(), name.Value)
	}
}

// isFlat reports whether a reply is an array, and none of its elements is one.
func (p *pass) isFlat(c *call) bool {
	r := p.replyTo(c)
	flat := r.Kinds == cmdtable.ReplyArray
	for _, element := range r.Elements {
		flat = flat && element&(cmdtable.ReplyArray|cmdtable.ReplyAny) == 0
	}
	return flat
}

const maybeText = isText | isNil | isFalse

// input reports whether an expression is an argument or a reply, as it came in.
func (p *pass) input(e luatree.Expr) bool {
	return p.origins(e).own&(fromArg|fromKey|fromReply) != 0
}

func checkComparisons(p *pass) {
	for _, b := range p.binaries("==", "~=", "<", "<=", ">", ">=") {
		text, number := b.L, b.R
		if p.kinds(text).only(isNumber | isNil) {
			text, number = number, text
		}
		k := p.kinds(text)
		if k&isText == 0 || !p.input(text) || !p.kinds(number).only(isNumber|isNil) || p.kinds(number)&isNumber == 0 {
			if b.Op == "==" || b.Op == "~=" {
				p.checkNumberEquality(b)
			}
			continue
		}
		if b.Op == "==" || b.Op == "~=" {
			if k.only(maybeText) {
				p.report(b.Span(), "%s is a text and never equal to a number; use tonumber", p.quote(text))
			}
			continue
		}
		if k&isUnknown != 0 || !k.only(maybeText) && p.changes(text) {
			continue
		}
		f := p.report(b.Span(), "%s is a text, and comparing it with a number fails; use tonumber", p.quote(text))
		if k.only(maybeText) {
			p.replace(f, "use tonumber", text.Span(), "tonumber("+p.tree.Text(text.Span())+")")
		}
	}
}

// changes reports whether an expression is, or may be, a variable that is assigned again: it need
// not have all of its types at one place.
func (p *pass) changes(e luatree.Expr) bool {
	switch x := p.deref(e).(type) {
	case *luatree.Name:
		return true
	case *luatree.Binary:
		return (x.Op == "and" || x.Op == "or") && (p.changes(x.L) || p.changes(x.R))
	}
	return false
}

// checkNumberEquality reports a reply that is a number and compared with a constant text.
func (p *pass) checkNumberEquality(b *luatree.Binary) {
	reply, text := b.L, b.R
	if _, ok := reply.(*luatree.String); ok {
		reply, text = text, reply
	}
	c := p.commandOf(reply)
	if c != nil && p.replyKinds(c) == isNumber && p.kinds(text).only(isText|isTrue|isFalse) {
		p.report(b.Span(), "the reply of %s is a number and never equal to %s", c.name(), p.quote(text))
	}
}

func checkTextOrder(p *pass) {
	for _, b := range p.binaries("<", "<=", ">", ">=") {
		l, r := p.kinds(b.L), p.kinds(b.R)
		if l&isText != 0 && r&isText != 0 && l.only(maybeText) && r.only(maybeText) && p.input(b.L) && p.input(b.R) {
			p.report(b.Span(), "two texts are compared letter by letter; use tonumber for numbers")
		}
	}
}

func checkArithmetic(p *pass) {
	p.checkNegations()
	for _, b := range p.binaries("+", "-", "*", "/", "%", "^") {
		for _, e := range []luatree.Expr{b.L, b.R} {
			if k := p.kinds(e); k&isText == 0 || !k.only(maybeText) || !p.input(e) || converts(b) {
				continue
			}
			if c := p.direct(e); c != nil && p.replyKinds(c)&isFalse != 0 {
				p.report(e.Span(), "%s is a text, or false if there is none: %s then fails", p.quote(e), b.Op)
			} else if !p.numeric(e) {
				p.report(e.Span(), "%s is a text, which %s converts silently; use tonumber", p.quote(e), b.Op)
			}
		}
	}
}

// checkNegations reports -x of a text.
func (p *pass) checkNegations() {
	for _, n := range p.nodes {
		u, ok := n.(*luatree.Unary)
		if !ok || u.Op != "-" {
			continue
		}
		if k := p.kinds(u.X); k&isText != 0 && k.only(maybeText) && p.input(u.X) && !p.numeric(u.X) {
			p.report(u.X.Span(), "%s is a text, which - converts silently; use tonumber", p.quote(u.X))
		}
	}
}

// direct returns the call of a command that an expression is, without a variable in between.
func (p *pass) direct(e luatree.Expr) *call {
	if c, ok := e.(*luatree.Call); ok {
		return p.reply(c)
	}
	return nil
}

// converts reports whether an operation only converts a text to a number: x + 0, x * 1.
func converts(b *luatree.Binary) bool {
	for _, e := range []luatree.Expr{b.L, b.R} {
		if n, ok := e.(*luatree.Number); ok {
			if n.Value == 0 && strings.Contains("+-", b.Op) || n.Value == 1 && b.Op == "*" {
				return true
			}
		}
	}
	return false
}

// ofTime reports whether an expression is an element of the reply of TIME.
func (p *pass) ofTime(e luatree.Expr) bool {
	x, ok := p.deref(e).(*luatree.Index)
	if !ok {
		return false
	}
	c := p.commandOf(x.X)
	return c != nil && c.is("TIME")
}

// numeric reports whether a text that comes from Redis is always a number: a score, a distance, the
// result of a float command, an element of TIME.
func (p *pass) numeric(e luatree.Expr) bool {
	if c := p.commandOf(e); c != nil {
		return p.replyTo(c).Kinds&^cmdtable.ReplyNil == cmdtable.ReplyNumber
	}
	x, ok := p.deref(e).(*luatree.Index)
	if !ok {
		return false
	}
	c := p.commandOf(x.X)
	if c == nil {
		return false
	}
	i, known := p.number(x.Key)
	elements := p.replyTo(c).Elements
	for n, element := range elements {
		if element&^cmdtable.ReplyNil == cmdtable.ReplyNumber && (!known || (int(i)-1)%len(elements) == n) {
			return true
		}
	}
	return false
}
