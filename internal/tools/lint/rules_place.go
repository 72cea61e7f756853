package lint

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
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
		Why: "In a cluster there is one database, so `SELECT`, `MOVE`, `SWAPDB` and `COPY … DB` fail. `SORT` with `BY` or\n" +
			"`GET` fails, because it reads keys that it does not name. `KEYS`, `SCAN`, `DBSIZE`, `RANDOMKEY`, `FLUSHALL` and\n" +
			"`FLUSHDB` see the keys of the node on which the script runs.",
		Bad:   Example{Script: "redis.call('SELECT', 1)\nreturn redis.call('GET', KEYS[1])"},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])"},
		check: checkCluster,
	},
	{
		ID: "replica-refused", Severity: Info,
		Summary: "a script that only reads, but with a command that a read-only replica refuses",
		Why: "Redis takes `SORT`, `GEORADIUS` and `BITFIELD` for commands that write, whatever their arguments, so only the\n" +
			"master runs the script. Use the forms that cannot write: `SORT_RO`, `GEORADIUS_RO`, `BITFIELD_RO`, and `GET`\n" +
			"instead of `GETEX` without options.",
		Bad:   Example{Script: "return redis.call('SORT', KEYS[1])"},
		Good:  Example{Script: "return redis.call('SORT_RO', KEYS[1])"},
		check: checkReplica,
	},
}

// writes reports whether Redis refuses a command to scripts because they may only read.
func (c *call) writes() bool { return c.runs() && c.has(cmdtable.Write|cmdtable.MayReplicate) }

func checkNoWrites(p *pass) {
	if p.flags&luatext.NoWrites != 0 {
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
	if p.flags&luatext.Shebang != 0 && p.flags&luatext.NoWrites == 0 {
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
	if p.flags&luatext.NoCluster != 0 {
		return
	}
	for _, c := range p.calls {
		if c.runs() {
			p.checkInCluster(c)
		}
	}
}

func (p *pass) checkInCluster(c *call) {
	switch {
	case c.spec.Reads == cmdtable.Databases && c.word(1) != "0", c.is("MOVE", "SWAPDB"):
		p.report(c.Span(), "a cluster has one database and refuses %s", c.name())
	case c.is("COPY"):
		for i := 3; i < len(c.words); i++ {
			if strings.EqualFold(c.words[i], "DB") && c.word(i+1) != "0" {
				p.report(c.Span(), "a cluster has one database and refuses COPY with DB")
			}
		}
	case c.spec.Patterns != nil:
		if option := sortPattern(c); option != "" {
			p.report(c.Span(), "a cluster refuses %s with %s, which reads keys of other slots", c.name(), option)
		}
	case c.spec.Beside() == cmdtable.AllKeys, c.spec.Changes&cmdtable.AllKeys != 0:
		p.report(c.Span(), "in a cluster %s sees the keys of one node only", c.name())
	}
}

// sortPattern returns the option of SORT that a cluster refuses, or "".
func sortPattern(c *call) string {
	for i := 2; i < len(c.words); i++ {
		switch strings.ToUpper(c.words[i]) {
		case "LIMIT":
			i += 2
		case "STORE":
			i++
		case "BY":
			if i++; i < len(c.words) && (c.words[i] == unknownWord || strings.Contains(c.words[i], "*")) {
				return "BY"
			}
		case "GET":
			return "GET"
		}
	}
	return ""
}

// readForm returns what replaces a command that writes by its name but only reads, and since which
// version of Redis there is that; "" if the command may write.
func (p *pass) readForm(c *call) (name, since string) {
	if c.open || c.spec == nil || c.spec.ReadForm.Name == "" {
		return "", ""
	}
	from := c.spec.MinArgs
	if c.is("BITFIELD") {
		if !onlyGets(c) {
			return "", ""
		}
	} else if c.option(from, c.spec.ReadForm.Unless...) || c.unknownFrom(from) {
		return "", ""
	}
	form := p.l.newest.Lookup(c.spec.ReadForm.Name)
	return strings.ToUpper(form.Name), ofRedis(form.Since)
}

// onlyGets reports whether a BITFIELD has no operation but GET.
func onlyGets(c *call) bool {
	for i := 2; i < len(c.words); i += 3 {
		if !strings.EqualFold(c.words[i], "GET") {
			return false
		}
	}
	return len(c.words) > 2
}

func checkReplica(p *pass) {
	if !p.library {
		if calls, all := p.reaches(p.tree.Main); all && p.flags&luatext.NoWrites == 0 {
			p.checkReaders(calls)
		}
	}
	for _, f := range p.functions() {
		if calls, all := p.reaches(f); all && !slices.Contains(p.registered[f].flags, "no-writes") {
			p.checkReaders(calls)
		}
	}
}

// checkReaders reports the commands that keep a replica from running calls that otherwise only
// read.
func (p *pass) checkReaders(calls []*call) {
	for _, c := range calls {
		if form, _ := p.readForm(c); !c.runs() || c.writes() && form == "" {
			return
		}
	}
	for _, c := range calls {
		if form, since := p.readForm(c); form != "" && c.writes() && !olderThan(p.l.redis, since) {
			p.report(c.args[0].Span(), "a read-only replica refuses %s, although it only reads here; use %s", c.name(), form)
		}
	}
}
