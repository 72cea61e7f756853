package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

var flowRules = []*Rule{
	{
		ID: "unreachable-code", Severity: Warning,
		Summary: "statements that can never run",
		Why:     "What stands before them always returns, breaks, fails or loops.",
		Bad:     Example{Script: "do return redis.call('GET', KEYS[1]) end\nredis.call('DEL', KEYS[1])"},
		Good:    Example{Script: "return redis.call('GET', KEYS[1])"},
		check:   checkReachable,
	},
	{
		ID: "pairs-order", Severity: Warning,
		Summary: "a result that depends on the order of pairs",
		Why: "Lua promises no order. The same table may come in another order with other keys, other inserts or in\n" +
			"another version of Redis, so lists that a script returns or stores differ. Collect the keys and\n" +
			"`table.sort` them, or iterate over a list with `ipairs`.",
		Bad:   Example{Script: "local seen = cjson.decode(ARGV[1])\nfor k in pairs(seen) do\n  redis.call('RPUSH', KEYS[1], k)\nend"},
		Good:  Example{Script: "local seen = cjson.decode(ARGV[1])\nfor k in pairs(seen) do\n  redis.call('SADD', KEYS[1], k)\nend"},
		check: checkPairs,
	},
}

func checkReachable(p *pass) {
	check := func(b *luatree.Block) {
		for i, s := range b.Stmts[:max(len(b.Stmts)-1, 0)] {
			if p.ends(s) {
				p.report(luatree.Range{From: b.Stmts[i+1].Span().From, To: b.To}, "this never runs: %s", p.reason(s))
				return
			}
		}
	}
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.Block:
			check(n)
		case *luatree.IfStmt:
			for _, b := range n.Branches {
				if p.falsy(b.Cond) && len(b.Body.Stmts) > 0 {
					p.report(b.Body.Range, "this never runs: the condition %s is never true", p.quote(b.Cond))
				}
			}
		case *luatree.WhileStmt:
			if p.falsy(n.Cond) && len(n.Body.Stmts) > 0 {
				p.report(n.Body.Range, "this never runs: the condition %s is never true", p.quote(n.Cond))
			}
		}
	}
}

// falsy reports whether an expression is the constant false or nil.
func (p *pass) falsy(e luatree.Expr) bool {
	c, ok := e.(*luatree.Constant)
	return ok && c.Kind != luatree.True
}

func (p *pass) reason(s luatree.Stmt) string {
	switch s.(type) {
	case *luatree.CallStmt:
		return "error ends the script"
	case *luatree.WhileStmt, *luatree.RepeatStmt:
		return "the loop before it has no end"
	}
	return "the statement before it always leaves"
}

// ends reports whether the statement behind s can never run.
func (p *pass) ends(s luatree.Stmt) bool {
	switch s := s.(type) {
	case *luatree.ReturnStmt, *luatree.BreakStmt:
		return true
	case *luatree.DoStmt:
		return p.blockEnds(s.Body)
	case *luatree.CallStmt:
		return p.libraryField(s.Call.Func) == "error"
	case *luatree.IfStmt:
		for _, b := range s.Branches {
			if !p.blockEnds(b.Body) {
				return false
			}
		}
		return s.Else != nil && p.blockEnds(s.Else)
	case *luatree.WhileStmt:
		c, ok := s.Cond.(*luatree.Constant)
		return ok && c.Kind == luatree.True && !p.breaks(s.Body)
	}
	return false
}

func (p *pass) blockEnds(b *luatree.Block) bool {
	return len(b.Stmts) > 0 && p.ends(b.Stmts[len(b.Stmts)-1])
}

// breaks reports whether a break in a block leaves the loop around the block.
func (p *pass) breaks(b *luatree.Block) bool {
	found := false
	p.walk(b, func(n luatree.Node) bool {
		switch n.(type) {
		case *luatree.BreakStmt:
			found = true
		case *luatree.WhileStmt, *luatree.RepeatStmt, *luatree.NumericFor, *luatree.GenericFor, *luatree.Function:
			return false
		}
		return !found
	})
	return found
}

func checkPairs(p *pass) {
	for _, n := range p.nodes {
		loop, ok := n.(*luatree.GenericFor)
		if !ok {
			continue
		}
		if table := p.inAnyOrder(loop); table == nil || p.isList(table) {
			continue
		}
		if where, what := p.ordered(loop); where != nil {
			p.report(where.Span(), "%s in the order of pairs, which Lua does not promise", what)
		}
	}
}

// inAnyOrder returns the table of for … in pairs(t), or for … in next, t; else nil.
func (p *pass) inAnyOrder(loop *luatree.GenericFor) luatree.Expr {
	if c, ok := loop.Values[0].(*luatree.Call); ok && p.libraryField(c.Func) == "pairs" && len(c.Args) == 1 {
		return c.Args[0]
	}
	if len(loop.Values) > 1 && p.libraryField(loop.Values[0]) == "next" {
		return loop.Values[1]
	}
	return nil
}

// isList reports whether a table has only the indexes 1, 2, …, or may have: pairs then keeps their
// order in practice.
func (p *pass) isList(e luatree.Expr) bool {
	o := p.origins(e)
	if o.own&(fromKeys|fromArgv|fromReply) != 0 {
		return true
	}
	x := p.deref(e)
	if c, ok := x.(*luatree.Call); ok {
		return p.libraryField(c.Func) != "cjson.decode" && p.libraryField(c.Func) != "cmsgpack.unpack"
	}
	t, ok := x.(*luatree.Table)
	if !ok {
		return true // unknown
	}
	for _, f := range t.Fields {
		if f.Key != nil {
			return false
		}
	}
	if name, ok := e.(*luatree.Name); ok && name.Local != nil && p.hashed[name.Local] {
		return false
	}
	return len(t.Fields) > 0 || p.appended(e)
}

// appended reports whether something is appended to a table, or other code may fill it.
func (p *pass) appended(e luatree.Expr) bool {
	name, ok := e.(*luatree.Name)
	return !ok || name.Local == nil || len(p.stores[name.Local]) > 0 || p.given[name.Local]
}

// ordered returns a statement of a loop whose effect depends on the order of the loop, and what it
// does.
func (p *pass) ordered(loop *luatree.GenericFor) (where luatree.Node, what string) {
	p.walk(loop.Body, func(n luatree.Node) bool {
		if where != nil {
			return false
		}
		switch n := n.(type) {
		case *luatree.Function:
			return false
		case *luatree.Call:
			if c := p.byCall[n]; c != nil && c.spec != nil && c.spec.Appends && p.uses(n, loop.Vars) {
				where, what = n, c.name()+" adds"
			} else if p.libraryField(n.Func) == "table.insert" && len(n.Args) == 2 && p.appends(n.Args[0], loop) {
				where, what = n, "the list grows"
			}
		case *luatree.AssignStmt:
			switch x := n.Targets[0].(type) {
			case *luatree.Index:
				if p.isNext(x) && p.appends(x.X, loop) {
					where, what = n, "the list grows"
				}
			case *luatree.Name:
				if p.lengthens(n, x, loop) {
					where, what = n, "the text grows"
				}
			}
		}
		return where == nil
	})
	return where, what
}

// uses reports whether a node uses one of some locals.
func (p *pass) uses(n luatree.Node, locals []*luatree.Local) bool {
	found := false
	p.walk(n, func(n luatree.Node) bool {
		if name, ok := n.(*luatree.Name); ok && name.Local != nil {
			for _, l := range locals {
				found = found || name.Local == l
			}
		}
		return !found
	})
	return found
}

// isNext reports whether an index is t[#t+1].
func (p *pass) isNext(x *luatree.Index) bool {
	b, ok := x.Key.(*luatree.Binary)
	if !ok || b.Op != "+" {
		return false
	}
	u, ok := b.L.(*luatree.Unary)
	return ok && u.Op == "#" && p.tree.Text(u.X.Span()) == p.tree.Text(x.X.Span())
}

// counts reports whether an expression is the variable of a loop that counts from 1.
func (p *pass) counts(e luatree.Expr) bool {
	name, ok := e.(*luatree.Name)
	if !ok || name.Local == nil {
		return false
	}
	loop, ok := name.Local.Stmt.(*luatree.NumericFor)
	if !ok {
		return false
	}
	first, known := p.number(loop.First)
	return known && first == 1
}

// appends reports whether a list is declared outside a loop, is not sorted, and is returned.
func (p *pass) appends(list luatree.Expr, loop *luatree.GenericFor) bool {
	name, ok := list.(*luatree.Name)
	return ok && name.Local != nil && !loop.Contains(name.Local.From) && !p.sorted[name.Local] && p.returned[name.Local]
}

// lengthens reports whether an assignment in a loop joins something of the loop to a text that is
// declared outside and used behind the loop.
func (p *pass) lengthens(s *luatree.AssignStmt, target *luatree.Name, loop *luatree.GenericFor) bool {
	l := target.Local
	if l == nil || loop.Contains(l.From) || len(s.Values) == 0 {
		return false
	}
	b, ok := s.Values[0].(*luatree.Binary)
	if !ok || b.Op != ".." || !p.mentions(b, l) || !p.uses(b, loop.Vars) {
		return false
	}
	for _, use := range l.Uses {
		if use.From >= loop.To {
			return true
		}
	}
	return false
}
