package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

var timeRules = []*Rule{
	{
		ID: "time-loop", Severity: Warning,
		Summary: "a loop that ends only when time moves on",
		Why: "Since Redis 7.2 the time stands still while a script runs, so the loop never ends. Before, nobody else was\n" +
			"served meanwhile. Let the caller wait, or bound the loop by a number of steps.",
		Bad: Example{Script: "local deadline = redis.call('TIME')[1] + 1\nwhile tonumber(redis.call('TIME')[1]) < deadline do\n" +
			"  redis.call('INCR', KEYS[1])\nend\nreturn 1"},
		Good:  Example{Script: "for i = 1, 100 do\n  redis.call('INCR', KEYS[1])\nend\nreturn 1"},
		check: checkTimeLoops,
	},
}

func checkTimeLoops(p *pass) {
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.WhileStmt:
			p.checkTimeLoop(n.Span(), n.Cond, n.Body)
		case *luatree.RepeatStmt:
			p.checkTimeLoop(n.Span(), n.Cond, n.Body)
		}
	}
}

func (p *pass) checkTimeLoop(within luatree.Range, cond luatree.Expr, body *luatree.Block) {
	loop := loopExits{p: p, within: within}
	if c, ok := cond.(*luatree.Constant); !ok || c.Kind == luatree.Nil { // not: while true, repeat … until false
		loop.exit(loop.waits(cond))
	}
	loop.block(body, true, false, true)
	if loop.timed && !loop.others {
		p.report(cond.Span(), "this loop ends only when time moves on, but since Redis 7.2 the time stands still in a script")
	}
}

// loopExits collects the ways out of a loop.
type loopExits struct {
	p      *pass
	within luatree.Range // the loop
	timed  bool          // there is a way out that only the time opens
	others bool          // there is another one
}

func (l *loopExits) exit(timed bool) {
	l.timed = l.timed || timed
	l.others = l.others || !timed
}

// block notes the ways out in a block. first is set if nothing guards the block, waits if
// conditions guard it that only the time changes; breaks says whether a break leaves the loop.
func (l *loopExits) block(b *luatree.Block, first, waits, breaks bool) {
	for _, s := range b.Stmts {
		if l.p.steps--; l.p.steps < 0 || l.others {
			l.others = true
			return
		}
		switch s := s.(type) {
		case *luatree.BreakStmt:
			if breaks {
				l.exit(waits)
			}
		case *luatree.ReturnStmt:
			l.exit(waits)
		case *luatree.CallStmt:
			if name := l.p.libraryField(s.Call.Func); name == "error" || name == "assert" {
				l.exit(waits)
			}
		case *luatree.DoStmt:
			l.block(s.Body, first, waits, breaks)
		case *luatree.WhileStmt:
			l.block(s.Body, false, false, false)
		case *luatree.RepeatStmt:
			l.block(s.Body, false, false, false)
		case *luatree.NumericFor:
			l.block(s.Body, false, false, false)
		case *luatree.GenericFor:
			l.block(s.Body, false, false, false)
		case *luatree.IfStmt:
			timed := first || waits
			for _, branch := range s.Branches {
				timed = timed && l.waits(branch.Cond)
				l.block(branch.Body, false, timed, breaks)
			}
			if s.Else != nil {
				l.block(s.Else, false, timed, breaks)
			}
		}
	}
}

// waits reports whether the value of an expression changes in the loop, and only with the time.
func (l *loopExits) waits(e luatree.Expr) bool {
	timed, other := false, false
	visited := map[*luatree.Local]bool{}
	var visit func(e luatree.Expr)
	visit = func(e luatree.Expr) {
		l.p.walk(e, func(n luatree.Node) bool {
			switch n := n.(type) {
			case *luatree.Function, *luatree.Table, *luatree.Vararg:
				other = true
			case *luatree.Call:
				switch known, is := l.callWaits(n); {
				case !known:
					other = true
				case is:
					timed = true
				}
			case *luatree.Unary:
				other = other || n.Op == "#"
			case *luatree.Name:
				if n.Local == nil || visited[n.Local] {
					break
				}
				visited[n.Local] = true
				values, known := l.assigned(n.Local)
				other = other || !known
				for _, v := range values {
					other = other || l.p.mentions(v, n.Local)
					visit(v)
				}
			}
			return !other
		})
	}
	visit(e)
	return timed && !other
}

// assigned returns the values that a local gets in the loop. known is false if it may get others.
func (l *loopExits) assigned(local *luatree.Local) (values []luatree.Expr, known bool) {
	if l.p.steps -= len(local.Uses) + len(l.p.writes[local]); l.p.steps < 0 {
		return nil, false
	}
	if l.within.Contains(local.From) {
		s, ok := local.Stmt.(*luatree.LocalStmt)
		if !ok || local.Index >= len(s.Values) {
			return nil, false
		}
		values = append(values, s.Values[local.Index])
	}
	written := 0
	for _, use := range local.Uses {
		if use.Write && l.within.Contains(use.From) {
			written++
		}
	}
	for _, v := range l.p.writes[local] {
		if v != nil && l.within.Contains(v.Span().From) {
			values = append(values, v)
			written--
		}
	}
	return values, written == 0
}

// callWaits reports whether the result of a call depends only on the time, as far as it changes at
// all. known is false if it may depend on something else.
func (l *loopExits) callWaits(c *luatree.Call) (known, timed bool) {
	if command := l.p.byCall[c]; command != nil {
		return command.is("TIME"), true
	}
	if f, ok := l.p.deref(c.Func).(*luatree.Function); ok {
		calls, all := l.p.reaches(f)
		for _, command := range calls {
			all = all && command.is("TIME")
		}
		return all && len(calls) > 0, true
	}
	switch l.p.libraryField(c.Func) {
	case "tonumber", "tostring", "unpack", "math.floor", "math.ceil", "math.max", "math.min", "math.abs":
		return true, false
	}
	return false, false
}
