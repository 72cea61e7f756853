package lint

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var checkThenAct = &Rule{
	ID: "check-then-act", Severity: Info,
	Summary: "a script that changes what only another script of the folder has checked",
	Why: "Between the two scripts other clients run, so the check may be out of date: stock falls below zero, a\n" +
		"coupon is claimed twice. Put the check and the change into one script.",
	Bad: Example{
		Script: "local stock = KEYS[1]\nreturn redis.call('DECRBY', stock, ARGV[1])",
		Beside: "local stock = KEYS[1]\nif tonumber(redis.call('GET', stock) or 0) >= tonumber(ARGV[1]) then\n  return 1\nend\nreturn 0",
	},
	Good: Example{
		Script: "local stock = KEYS[1]\nif tonumber(redis.call('GET', stock) or 0) < tonumber(ARGV[1]) then\n  return -1\nend\n" +
			"return redis.call('DECRBY', stock, ARGV[1])",
		Beside: "local stock = KEYS[1]\nreturn tonumber(redis.call('GET', stock) or 0)",
	},
}

var folderRules = []*Rule{checkThenAct}

// LintFolder returns the findings of the scripts of one folder, in the order of the scripts. It
// applies the rules that compare scripts, too.
func (l *Linter) LintFolder(scripts []Script) [][]Finding {
	found := make([][]Finding, len(scripts))
	summaries := make([]summary, len(scripts))
	for i, s := range scripts {
		var p *pass
		if found[i], p = l.lint(s); p != nil && !s.Part && l.severities[checkThenAct.ID] != Off {
			summaries[i] = p.summarize()
		}
	}
	for i := range scripts {
		for j := range scripts {
			if i != j && summaries[i].sources != nil {
				found[i] = append(found[i], l.compare(summaries[i], summaries[j])...)
			}
		}
		if x := summaries[i]; x.sources != nil {
			found[i] = x.sortFindings(found[i])
		}
		found[i] = found[i][:min(len(found[i]), MaxFindings)]
	}
	return found
}

// summary is what the other scripts of a folder need to know about a script.
type summary struct {
	checks map[string]bool // names of the keys that the script only checks: it reads them and decides
	acts   []act           // changes of keys that the script has not read
	hidden []*directive
	*sources
}

// act is a change of a key that depends on what is there.
type act struct {
	key, command string
	at           luatree.Range // in the text
}

// summarize finds what a script checks and what it changes without a check.
func (p *pass) summarize() summary {
	s := summary{checks: map[string]bool{}, hidden: p.directives(), sources: p.sources}
	read := map[string]bool{}
	decisive := p.decisive()
	writes := false
	for _, c := range p.calls {
		writes = writes || c.has(cmdtable.Write)
		if len(c.args) > 1 && !c.has(cmdtable.Write) {
			read[p.canonical(c.args[1])] = true
		}
	}
	for _, c := range p.calls {
		if len(c.args) < 2 {
			continue
		}
		name := p.keyName(c.args[1])
		switch {
		case name == "" || c.spec == nil:
		case !writes && c.spec.Asks && decisive[c.Call]:
			s.checks[name] = true
		case len(s.acts) == MaxFindings:
		case c.spec.Takes && !read[p.canonical(c.args[1])] && !decisive[c.Call]:
			s.acts = append(s.acts, act{name, c.name(), c.Range})
		}
	}
	return s
}

// keyName returns the name that a script gives a key: that of the local that holds an element of
// KEYS, or a constant. It is empty if there is none.
func (p *pass) keyName(e luatree.Expr) string {
	if text, ok := p.constant(e); ok {
		return text
	}
	name, ok := e.(*luatree.Name)
	if !ok || name.Local == nil || p.origins(e).own != fromKey {
		return ""
	}
	plain := strings.ToLower(strings.ReplaceAll(name.Text, "_", ""))
	plain = strings.TrimSuffix(plain, "key")
	if slices.Contains([]string{"", "lock", "k", "set", "hash", "list", "queue"}, plain) {
		return "" // such names say nothing
	}
	return plain
}

// decisive returns the calls of commands whose replies a script compares or branches on.
func (p *pass) decisive() map[*luatree.Call]bool {
	found := map[*luatree.Call]bool{}
	seen := map[*luatree.Call]bool{}
	var test func(e luatree.Expr)
	test = func(e luatree.Expr) {
		p.walk(e, func(n luatree.Node) bool {
			e, ok := n.(luatree.Expr)
			if !ok {
				return true
			}
			c, ok := p.deref(e).(*luatree.Call)
			switch {
			case !ok || seen[c]:
			case p.byCall[c] != nil:
				found[c] = true
			case len(seen) < maxDepth:
				seen[c] = true
				for _, a := range c.Args {
					test(a)
				}
			}
			return true
		})
	}
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.IfStmt:
			for _, b := range n.Branches {
				test(b.Cond)
			}
		case *luatree.ReturnStmt:
			for _, v := range n.Values {
				if b, ok := p.deref(v).(*luatree.Binary); ok && p.kinds(b).only(isBoolean) {
					test(b)
				}
			}
		}
	}
	return found
}

// compare returns the findings about a script beside another one.
func (l *Linter) compare(one, other summary) []Finding {
	var found []Finding
	for _, a := range one.acts {
		if !other.checks[a.key] {
			continue
		}
		f := one.findingAt(a.at)
		f.Rule, f.Severity = checkThenAct.ID, l.severities[checkThenAct.ID]
		f.Message = a.command + " changes " + a.key + ", which only another script of the folder checks: check and change it in one script"
		if !slices.ContainsFunc(one.hidden, func(d *directive) bool { return d.hides(&f) }) {
			found = append(found, f)
		}
	}
	return found
}
