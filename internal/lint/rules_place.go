package lint

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var placeRules = []*Rule{
	{
		ID: "write-in-no-writes", Severity: Error,
		Summary: "a write in a script or function with the flag no-writes",
		Why:     "The call fails with `Write commands are not allowed from read-only scripts`.",
		Bad:     Example{Script: "#!lua flags=no-writes\nreturn redis.call('INCR', KEYS[1])"},
		Good:    Example{Script: "#!lua flags=no-writes\nreturn redis.call('GET', KEYS[1])"},
		check:   checkNoWrites,
	},
	{
		ID: "missing-no-writes", Severity: Info,
		Summary: "a script with a #! line, or a function, that only reads but lacks the flag no-writes",
		Why: "Redis takes it for one that writes: a read-only replica refuses it, so does a server without free\n" +
			"memory, and EVAL_RO and FCALL_RO. Write `#!lua flags=no-writes`, or register the function with the flag.",
		Bad:   Example{Script: "#!lua\nreturn redis.call('GET', KEYS[1])"},
		Good:  Example{Script: "#!lua flags=no-writes\nreturn redis.call('GET', KEYS[1])"},
		check: checkMissingNoWrites,
	},
	{
		ID: "cluster-refused", Severity: Warning,
		Summary: "a command that a Redis Cluster refuses, or that sees only one of its nodes",
		Why: "In a cluster there is one database, so `SELECT`, `MOVE` and `COPY … DB` fail. `KEYS`, `SCAN`, `DBSIZE` and\n" +
			"`RANDOMKEY` see the keys of the node on which the script runs.",
		Bad:   Example{Script: "redis.call('SELECT', 1)\nreturn redis.call('GET', KEYS[1])"},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])"},
		check: checkCluster,
	},
}

// writes reports whether Redis refuses a command to scripts that only read.
func (c *call) writes() bool { return c.has(cmdtable.Write | cmdtable.MayReplicate) }

func checkNoWrites(p *pass) {
	if p.flags&luabridge.NoWrites != 0 {
		for _, c := range p.calls {
			if c.writes() {
				p.report(c.Span(), "%s writes, and the script has the flag no-writes", c.name())
			}
		}
	}
	for _, f := range p.functions() {
		r := p.registered[f]
		if !slices.Contains(r.flags, "no-writes") {
			continue
		}
		calls, _ := p.reaches(f)
		for _, c := range calls {
			if c.writes() {
				p.report(c.Span(), "%s writes, and the function %s has the flag no-writes", c.name(), r.name)
			}
		}
	}
}

// functions returns the functions that the text of a library registers, in the order of the text.
func (p *pass) functions() []*luatree.Function {
	var list []*luatree.Function
	for f := range p.registered {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *luatree.Function) int { return a.From - b.From })
	return list
}

// readsOnly reports whether there are calls, and all their commands only read.
func readsOnly(calls []*call) bool {
	for _, c := range calls {
		if !c.runs() || c.writes() {
			return false
		}
	}
	return len(calls) > 0
}

func checkMissingNoWrites(p *pass) {
	if p.flags&luabridge.Shebang != 0 && p.flags&luabridge.NoWrites == 0 {
		if calls, all := p.reaches(p.tree.Main); all && readsOnly(calls) {
			p.report(p.tree.Shebang, "the script only reads; with flags=no-writes a replica runs it, too")
		}
	}
	for _, f := range p.functions() {
		r := p.registered[f]
		if calls, all := p.reaches(f); all && readsOnly(calls) && !slices.Contains(r.flags, "no-writes") {
			p.report(r.call.Span(), "the function %s only reads; with the flag no-writes a replica runs it, too", r.name)
		}
	}
}

func checkCluster(p *pass) {
	if p.flags&luabridge.NoCluster != 0 {
		return
	}
	for _, c := range p.calls {
		switch {
		case c.is("SELECT") && c.word(1) != "0":
			p.report(c.Span(), "a cluster has one database and refuses SELECT")
		case c.is("MOVE"):
			p.report(c.Span(), "a cluster has one database and refuses MOVE")
		case c.is("COPY") && c.option(3, "DB"):
			p.report(c.Span(), "a cluster has one database and refuses COPY with DB")
		case c.is("KEYS", "SCAN", "DBSIZE", "RANDOMKEY"):
			p.report(c.Span(), "in a cluster %s sees the keys of one node only", strings.ToUpper(c.name()))
		}
	}
}
