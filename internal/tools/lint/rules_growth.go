package lint

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var growthRules = []*Rule{
	{
		ID: "unbounded-read", Severity: Info,
		Summary: "a command that reads a whole collection or all keys",
		Why: "Redis serves nobody else while a script runs, and the reply becomes a Lua table. What is small today may\n" +
			"have a million elements later. Read a part (`LRANGE key 0 99`, `ZRANGE … LIMIT`), ask for one element\n" +
			"(`SISMEMBER`, `HMGET`), or let the caller use SCAN. `HGETALL` is not reported: most hashes are records.",
		Bad:   Example{Script: "return redis.call('SMEMBERS', KEYS[1])"},
		Good:  Example{Script: "return redis.call('SISMEMBER', KEYS[1], ARGV[1])"},
		check: checkReads,
	},
	{
		ID: "unbounded-unpack", Severity: Warning,
		Summary: "unpack of a table without a bound",
		Why: "`unpack` fails with `too many results to unpack` from about 8,000 elements on, and so does the call that\n" +
			"gets them. Work in slices: `unpack(t, i, math.min(i + 999, #t))`.",
		Bad: Example{Script: "local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])\n" +
			"return redis.call('ZREM', KEYS[1], unpack(due))"},
		Good: Example{Script: "local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 100)\n" +
			"return redis.call('ZREM', KEYS[1], unpack(due))"},
		check: checkUnpack,
	},
	{
		ID: "unbounded-arguments", Severity: Info,
		Summary: "unpack of all of ARGV for a command that takes any number of arguments",
		Why: "The caller decides how many there are, and `unpack` fails with `too many results to unpack` from about 8,000 on.\n" +
			"Work in slices, or compare `#ARGV` with a limit first; a script that compares it is not reported. Neither is\n" +
			"`unpack(KEYS)`: most callers name a fixed number of keys.",
		Bad: Example{Script: "return redis.call('SADD', KEYS[1], unpack(ARGV))"},
		Good: Example{Script: "local added = 0\nfor i = 1, #ARGV, 1000 do\n" +
			"  added = added + redis.call('SADD', KEYS[1], unpack(ARGV, i, math.min(i + 999, #ARGV)))\nend\nreturn added"},
		check: checkUnpackedArguments,
	},
}

// rangeOf returns which part of a collection the reply to a call has.
func (p *pass) rangeOf(c *call) cmdtable.RangeKind {
	if c.spec == nil || c.spec.Range.Kind == cmdtable.NoRange || p.l.repliesOf(c.spec).Usual.Kinds&cmdtable.ReplyArray == 0 {
		return cmdtable.NoRange
	}
	kind := c.spec.Range.Kind
	if kind == cmdtable.ByIndexOrOption {
		switch {
		case c.option(4, "BYSCORE"):
			return cmdtable.ByScore
		case c.option(4, "BYLEX"):
			return cmdtable.ByLex
		}
		return cmdtable.ByIndex
	}
	return kind
}

// whole reports whether a call reads a whole collection, or all keys.
func (p *pass) whole(c *call) bool {
	switch p.rangeOf(c) {
	case cmdtable.AllElements:
		return c.spec.OneKey || !c.spec.HasKeys()
	case cmdtable.ByIndex:
		return c.word(2) == "0" && c.word(3) == "-1"
	case cmdtable.ByID:
		return len(c.args) == 4 && (c.word(2) == "-" && c.word(3) == "+" || c.word(2) == "+" && c.word(3) == "-")
	}
	return false
}

// unbounded reports whether nothing bounds the number of elements of a reply.
func (p *pass) unbounded(c *call) bool {
	if p.whole(c) {
		return true
	}
	switch p.rangeOf(c) {
	case cmdtable.AllElements:
		return true
	case cmdtable.ByScore, cmdtable.ByLex:
		return !c.option(4, "LIMIT") && !c.unknownFrom(4) && !p.onePoint(c)
	case cmdtable.ByIndex:
		return len(c.args) >= 4 && !c.unknownFrom(4) && p.sign(c.args[2]) > 0 && p.sign(c.args[3]) < 0
	case cmdtable.ByID:
		return len(c.args) < 5 && !c.open && !p.onePoint(c)
	}
	return false
}

// onePoint reports whether a range begins and ends at the same value.
func (p *pass) onePoint(c *call) bool {
	return len(c.args) >= 4 && p.canonical(c.args[2]) == p.canonical(c.args[3])
}

// sign returns 1 for an index that counts from the begin, -1 for one that counts from the end, or 0
// if the script does not show it.
func (p *pass) sign(e luatree.Expr) int {
	if text, ok := p.constant(e); ok {
		if strings.HasPrefix(text, "-") {
			return -1
		}
		return 1
	}
	if u, ok := p.deref(e).(*luatree.Unary); ok && u.Op == "-" {
		return -1
	}
	return 0
}

func checkReads(p *pass) {
	unpacked := map[*call]bool{}
	if p.l.severities["unbounded-unpack"] != Off { // that rule reports them
		for _, u := range p.unpacks() {
			unpacked[u.source] = true
		}
	}
	for _, c := range p.calls {
		switch {
		case !p.unbounded(c) || unpacked[c] || !c.fits(p.followed(c)) || c.is("HGETALL"): // most hashes are records of a few fields
		case c.is("KEYS"):
			p.report(c.Span(), "KEYS walks over all keys of the database, and nobody else is served meanwhile")
		case p.whole(c):
			p.report(c.Span(), "%s reads all of %s, however much that is", c.name(), p.quote(c.args[1]))
		default:
			p.report(c.Span(), "%s reads all elements of a range, however many there are", c.name())
		}
	}
}

func checkUnpack(p *pass) {
	for _, u := range p.unpacks() {
		p.report(u.at, "unpack fails if %s replies with more than about 8,000 elements; unpack slices", u.source.name())
	}
}

// checkUnpackedArguments reports unpack of ARGV up to its end, unless the script compares its
// length.
func checkUnpackedArguments(p *pass) {
	for _, b := range p.binaries("==", "~=", "<", "<=", ">", ">=") {
		found := false
		p.walk(b, func(n luatree.Node) bool {
			u, ok := n.(*luatree.Unary)
			found = found || ok && u.Op == "#" && p.argumentTable(u.X) == "ARGV"
			return !found
		})
		if found {
			return
		}
	}
	for _, c := range p.calls {
		u, ok := c.args[len(c.args)-1].(*luatree.Call)
		if !ok || len(u.Args) == 0 || len(u.Args) > 2 || p.libraryField(u.Func) != "unpack" || p.argumentTable(u.Args[0]) != "ARGV" {
			continue
		}
		if c.runs() && c.fits(p.followed(c)) && takesMany(p.l.arguments(p.followed(c), "")) {
			p.report(u.Span(), "unpack fails if the caller passes more than about 8,000 arguments; unpack slices")
		}
	}
}

// takesMany reports whether an argument may be repeated.
func takesMany(args []cmdtable.Arg) bool {
	return slices.ContainsFunc(args, func(a cmdtable.Arg) bool { return a.Multiple || takesMany(a.Args) })
}

// unpacking is an unpack of a reply that nothing bounds.
type unpacking struct {
	at     luatree.Range
	source *call
}

func (p *pass) unpacks() []unpacking {
	var list []unpacking
	for _, n := range p.nodes {
		c, ok := n.(*luatree.Call)
		if !ok || len(c.Args) != 1 || p.libraryField(c.Func) != "unpack" {
			continue
		}
		if source := p.unboundedTable(c.Args[0]); source != nil {
			list = append(list, unpacking{c.Span(), source})
		}
	}
	return list
}

// unboundedTable returns the call whose reply a table is, or from whose elements a loop makes it,
// if nothing bounds the reply; else nil.
func (p *pass) unboundedTable(e luatree.Expr) *call {
	if c := p.commandOf(e); c != nil {
		if p.unbounded(c) {
			return c
		}
		return nil
	}
	name, ok := e.(*luatree.Name)
	if !ok || name.Local == nil {
		return nil
	}
	for _, f := range p.fillers[name.Local] {
		if f.loop.Span().From <= name.From && name.From < f.loop.Span().To || f.loop.Span().From <= name.Local.From {
			continue
		}
		if source := p.commandOf(f.source); source != nil && p.unbounded(source) {
			return source
		}
	}
	return nil
}

// filler is a loop that adds an element to a list for each element of source.
type filler struct {
	loop   luatree.Stmt
	source luatree.Expr
}

// collectFillers notes which lists a loop adds an element to each time, unless it may leave early:
// for … in ipairs(source), and for i = 1, #source.
func (p *pass) collectFillers(loop luatree.Stmt) {
	f := filler{loop: loop}
	var body *luatree.Block
	switch loop := loop.(type) {
	case *luatree.GenericFor:
		c, ok := loop.Values[0].(*luatree.Call)
		if !ok || len(c.Args) != 1 {
			return
		}
		f.source, body = c.Args[0], loop.Body
	case *luatree.NumericFor:
		length, ok := p.deref(loop.Last).(*luatree.Unary)
		if !ok || length.Op != "#" {
			return
		}
		f.source, body = length.X, loop.Body
	}
	if p.breaks(body) {
		return
	}
	for _, s := range body.Stmts {
		var list luatree.Expr
		switch s := s.(type) {
		case *luatree.AssignStmt:
			if x, ok := s.Targets[0].(*luatree.Index); ok && p.isNext(x) {
				list = x.X
			}
		case *luatree.CallStmt:
			if len(s.Call.Args) > 1 && p.libraryField(s.Call.Func) == "table.insert" {
				list = s.Call.Args[0]
			}
		}
		if name, ok := list.(*luatree.Name); ok && name.Local != nil && len(p.fillers[name.Local]) < maxDepth {
			p.fillers[name.Local] = append(p.fillers[name.Local], f)
		}
	}
}
