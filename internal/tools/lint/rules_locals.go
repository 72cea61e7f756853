package lint

import (
	"sort"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var globalRules = []*Rule{
	{
		ID: "undeclared-global", Severity: Error,
		Summary: "a global variable that does not exist",
		Why: "Scripts cannot create globals: assigning one fails with `Attempt to modify a readonly table`, and reading\n" +
			"a missing one with `Script attempted to access nonexistent global variable`. Write `local`.",
		Bad:   Example{Script: "count = redis.call('INCR', KEYS[1])"},
		Good:  Example{Script: "local count = redis.call('INCR', KEYS[1])\nreturn count"},
		check: checkGlobals,
	},
	{
		ID: "read-only-library", Severity: Error,
		Summary: "a change of a library",
		Why: "The libraries are read-only: an assignment such as `table.extend = f` fails with `Attempt to modify a\n" +
			"readonly table`. Write a local function.",
		Bad:   Example{Script: "function table.last(t)\n  return t[#t]\nend\nreturn table.last(KEYS)"},
		Good:  Example{Script: "local function last(t)\n  return t[#t]\nend\nreturn last(KEYS)"},
		check: checkLibraries,
	},
}

var localRules = []*Rule{
	{
		ID: "unused-local", Severity: Warning,
		Summary: "a local variable that is never read",
		Why: "It is left from an earlier version, or another name was meant. A name that begins with `_` is not\n" +
			"reported, nor one of a file that others include or that only declares. An editor offers to remove it if\n" +
			"its value has no effect.",
		Bad:   Example{Script: "local limit = tonumber(ARGV[1])\nreturn redis.call('INCR', KEYS[1])"},
		Good:  Example{Script: "return redis.call('INCR', KEYS[1])"},
		check: checkUnused,
	},
	{
		ID: "shadowing", Severity: Info,
		Summary: "a local variable that hides another one of the same name",
		Why:     "A reader, or the next change, takes one for the other.",
		Bad:     Example{Script: "local n = 0\nfor n = 1, #KEYS do\n  redis.call('DEL', KEYS[n])\nend\nreturn n"},
		Good:    Example{Script: "local n = 0\nfor i = 1, #KEYS do\n  n = n + redis.call('DEL', KEYS[i])\nend\nreturn n"},
		check:   checkShadowing,
	},
}

func checkGlobals(p *pass) {
	seen := map[place]bool{}
	for _, n := range p.tree.Globals {
		here := p.placed(n.From, n.Text)
		if seen[here] {
			continue // the same mistake again
		}
		seen[here] = true
		switch {
		case n.Write:
			p.report(n.Range, "the global %s cannot be assigned: scripts cannot change globals", n.Text)
		case p.library && (n.Text == "KEYS" || n.Text == "ARGV") && !p.l.extra[n.Text]:
			p.report(n.Range, "there is no global %s in a library: it is a parameter of the function", n.Text)
		case !p.l.globals[n.Text] && !p.incomplete:
			p.report(n.Range, "there is no global %s", n.Text)
		}
	}
}

// checkLibraries reports function redis.f() … end and string.f = ….
func checkLibraries(p *pass) {
	for _, n := range p.nodes {
		var targets []luatree.Expr
		switch n := n.(type) {
		case *luatree.AssignStmt:
			targets = n.Targets
		case *luatree.FunctionStmt:
			targets = []luatree.Expr{n.Target}
		}
		for _, t := range targets {
			if x, ok := t.(*luatree.Index); ok {
				switch name := p.global(x.X); name {
				case "", "KEYS", "ARGV":
				default:
					if p.l.globals[name] {
						p.report(x.Span(), "%s cannot be assigned: scripts cannot change the library %s", p.quote(x), name)
					}
				}
			}
		}
	}
}

// read reports whether a local is read outside its own function.
func (p *pass) read(l *luatree.Local) bool {
	var own *luatree.Function
	if s, ok := l.Stmt.(*luatree.LocalFunction); ok {
		own = s.Func
	}
	for _, use := range l.Uses {
		if !use.Write && (own == nil || !own.Contains(use.From)) {
			return true
		}
	}
	return false
}

func checkUnused(p *pass) {
	for _, l := range p.tree.Locals {
		if l.Kind != luatree.ByLocal && l.Kind != luatree.ByFunction || strings.HasPrefix(l.Name, "_") || p.read(l) {
			continue
		}
		if l.Owner == p.tree.Main && p.usedElsewhere {
			continue
		}
		s, ok := l.Stmt.(*luatree.LocalStmt)
		if ok && len(s.Names) > 1 && p.laterRead(s, l.Index) {
			continue // it holds the place of a value
		}
		what := "the local %s is never read"
		if l.Kind == luatree.ByFunction {
			what = "the local function %s is never called"
		}
		f := p.report(l.Range, what, l.Name)
		if ok && len(s.Names) == 1 && len(l.Uses) == 0 && len(s.Values) <= 1 && (len(s.Values) == 0 || p.pure(s.Values[0])) &&
			!p.needed(s.Range) {
			p.replace(f, "remove "+l.Name, p.wholeLines(s.Range), "")
			if f != nil && f.Fix != nil {
				f.Fix.Safe, f.Fix.OneByOne = true, true
			}
		}
	}
}

// laterRead reports whether a name behind place i of a declaration is read, and its value comes
// from the same call.
func (p *pass) laterRead(s *luatree.LocalStmt, i int) bool {
	if i < len(s.Values)-1 {
		return false
	}
	for _, l := range s.Names[i+1:] {
		if p.read(l) {
			return true
		}
	}
	return false
}

// pure reports whether an expression can be removed: it cannot fail and has no effect.
func (p *pass) pure(e luatree.Expr) bool {
	switch x := e.(type) {
	case *luatree.Number, *luatree.String, *luatree.Constant, *luatree.Function:
		return true
	case *luatree.Name:
		return x.Local != nil || p.l.globals[x.Text]
	case *luatree.Paren:
		return p.pure(x.X)
	case *luatree.Index:
		name, ok := x.X.(*luatree.Name)
		return ok && name.Local == nil && !p.library && (name.Text == "KEYS" || name.Text == "ARGV") && p.pure(x.Key)
	case *luatree.Call:
		return p.libraryField(x.Func) == "tonumber" && len(x.Args) == 1 && p.pure(x.Args[0])
	case *luatree.Table:
		for _, f := range x.Fields {
			if f.Key != nil && !f.Named || !p.pure(f.Value) {
				return false
			}
		}
		return true
	}
	return false
}

// needed reports whether a statement keeps the text around it apart: without it, "(" behind it
// would call what stands before, and ";" would be alone.
func (p *pass) needed(r luatree.Range) bool {
	source := p.tree.Source
	at := r.To
	if at < len(source) && source[at] == ';' {
		at++ // goes with the statement
	}
	i := sort.Search(len(p.tree.Comments), func(i int) bool { return p.tree.Comments[i].From >= at })
	for {
		at = len(source) - len(strings.TrimLeft(source[at:], " \t\r\n\v\f"))
		if i == len(p.tree.Comments) || p.tree.Comments[i].From != at {
			return at < len(source) && (source[at] == '(' || source[at] == ';')
		}
		at = p.tree.Comments[i].To
		i++
	}
}

// wholeLines extends a range to its lines if they have nothing else.
func (p *pass) wholeLines(r luatree.Range) luatree.Range {
	source := p.tree.Source
	from, to := r.From, r.To
	if to < len(source) && source[to] == ';' {
		to++
	}
	r.To = to
	for from > 0 && (source[from-1] == ' ' || source[from-1] == '\t') {
		from--
	}
	for to < len(source) && (source[to] == ' ' || source[to] == '\t' || source[to] == '\r') {
		to++
	}
	if (from == 0 || source[from-1] == '\n') && (to == len(source) || source[to] == '\n') {
		return luatree.Range{From: from, To: min(to+1, len(source))}
	}
	return r
}

func checkShadowing(p *pass) {
	for _, l := range p.tree.Locals {
		if l.Outer == nil || strings.HasPrefix(l.Name, "_") || l.From == l.To && l.From == 0 {
			continue
		}
		if s, ok := l.Stmt.(*luatree.LocalStmt); ok && l.Index < len(s.Values) && p.mentions(s.Values[l.Index], l.Outer) {
			continue // local x = x or 1: meant
		}
		outer := p.findingAt(l.Outer.Range)
		if inner := p.files.FileAt(l.From); p.files.Files[inner] != outer.File {
			if inner > 0 {
				continue // an included file is written for scripts that it does not know
			}
			p.report(l.Range, "the local %s hides the one of %s:%d", l.Name, outer.File, outer.Line)
			continue
		}
		p.report(l.Range, "the local %s hides the one of line %d", l.Name, outer.Line)
	}
}

// mentions reports whether an expression uses a local.
func (p *pass) mentions(e luatree.Expr, l *luatree.Local) bool {
	found := false
	p.walk(e, func(n luatree.Node) bool {
		if name, ok := n.(*luatree.Name); ok && name.Local == l {
			found = true
		}
		return !found
	})
	return found
}
