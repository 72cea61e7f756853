package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

var growthRules = []*Rule{
	{
		ID: "unbounded-read", Severity: Info,
		Summary: "a command that reads a whole collection or all keys",
		Why: "Redis serves nobody else while a script runs, and the reply becomes a Lua table. What is small today may\n" +
			"have a million elements later. Read a part (`LRANGE key 0 99`, `ZRANGE … LIMIT`), ask for one element\n" +
			"(`SISMEMBER`, `HMGET`), or let the caller use SCAN.",
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
}

// wholeCommands reply with all elements of their key.
var wholeCommands = words("SMEMBERS HGETALL HKEYS HVALS")

// whole reports whether a call reads a whole collection, or all keys.
func (c *call) whole() bool {
	switch {
	case wholeCommands[c.name()]:
		return true
	case c.is("KEYS"):
		return true
	case c.is("LRANGE", "ZRANGE", "ZREVRANGE"):
		return c.word(2) == "0" && c.word(3) == "-1"
	case c.is("XRANGE"):
		return c.word(2) == "-" && c.word(3) == "+" && len(c.args) == 4
	case c.is("XREVRANGE"):
		return c.word(2) == "+" && c.word(3) == "-" && len(c.args) == 4
	}
	return false
}

// unbounded reports whether nothing bounds the number of elements of a reply.
func (c *call) unbounded() bool {
	switch {
	case c.whole():
		return true
	case c.is("ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZRANGEBYLEX", "ZREVRANGEBYLEX"):
		return !c.option(4, "LIMIT") && !c.unknownFrom(4)
	case c.is("SUNION", "SDIFF", "SINTER", "XRANGE"):
		return len(c.args) < 5 && !c.open
	}
	return false
}

func checkReads(p *pass) {
	for _, c := range p.calls {
		switch {
		case !c.whole() || !c.fits(p.followed(c)):
		case c.is("KEYS"):
			p.report(c.Span(), "KEYS walks over all keys of the database, and nobody else is served meanwhile")
		default:
			p.report(c.Span(), "%s reads all of %s, however much that is", c.name(), p.quote(c.args[1]))
		}
	}
}

func checkUnpack(p *pass) {
	for _, n := range p.nodes {
		c, ok := n.(*luatree.Call)
		if !ok || len(c.Args) != 1 || p.libraryField(c.Func) != "unpack" {
			continue
		}
		if source := p.unboundedTable(c.Args[0]); source != nil {
			p.report(c.Span(), "unpack fails if %s replies with more than about 8,000 elements; unpack slices", source.name())
		}
	}
}

// unboundedTable returns the call whose reply a table is, or from whose elements a loop makes it,
// if nothing bounds the reply; else nil.
func (p *pass) unboundedTable(e luatree.Expr) *call {
	if c := p.commandOf(e); c != nil {
		if c.unbounded() {
			return c
		}
		return nil
	}
	name, ok := e.(*luatree.Name)
	if !ok || name.Local == nil {
		return nil
	}
	for _, loop := range p.fillers[name.Local] {
		if loop.Contains(name.From) {
			continue
		}
		if c, ok := loop.Values[0].(*luatree.Call); ok && len(c.Args) == 1 {
			if source := p.commandOf(c.Args[0]); source != nil && source.unbounded() {
				return source
			}
		}
	}
	return nil
}

// collectFillers notes which lists a loop adds an element to each time, unless it may leave early.
func (p *pass) collectFillers(loop *luatree.GenericFor) {
	for _, s := range loop.Body.Stmts {
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
		name, ok := list.(*luatree.Name)
		if ok && name.Local != nil && len(p.fillers[name.Local]) < maxDepth && !p.breaks(loop.Body) {
			p.fillers[name.Local] = append(p.fillers[name.Local], loop)
		}
	}
}
