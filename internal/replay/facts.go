package replay

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// facts says what a replay must know about a command. They follow from the row of the command: its
// flags, group, tips and keys. Only [exceptions] has names.
type facts struct {
	spec     *cmdtable.Spec // nil: the command is unknown
	data     bool           // it reads or writes keys, or runs a script: it can be tried
	writes   bool
	global   bool // it may touch keys that are not among its arguments
	script   bool
	blocking bool
	// How its reply may differ from the recorded one.
	order  bool // the elements have no order
	pairs  bool // with order: a flat list is a list of pairs
	chance bool // chance decides the reply
	clock  bool // the reply has a time, or stores one
	server bool // the reply is about the server and its clients
	// What a replay does instead of running it.
	withheld bool // it reaches for other servers and files, or is about them: not run
}

// exception is a fact that the rows do not have.
type exception struct {
	pairs, clock, server, withheld bool
}

// exceptions has what the command table of Redis does not say about these commands.
var exceptions = map[string]exception{
	"hgetall":        {pairs: true},    // in RESP2 its fields and values are one list
	"expiretime":     {clock: true},    // a time that depends on when the time to live was set
	"pexpiretime":    {clock: true},    // the same
	"memory|usage":   {server: true},   // bytes that depend on the allocator
	"wait":           {server: true},   // the number of replicas
	"role":           {server: true},   // replicas
	"migrate":        {withheld: true}, // another server
	"shutdown":       {withheld: true}, // the end
	"failover":       {withheld: true}, // other servers
	"acl|save":       {withheld: true}, // a file
	"acl|load":       {withheld: true}, // a file
	"config|rewrite": {withheld: true}, // a file
	"replconf":       {withheld: true}, // a replica
}

// factsOf returns the facts of a command line.
func factsOf(table *cmdtable.Table, args []string) facts {
	spec := table.Resolve(args)
	if spec == nil || len(spec.Subs) > 0 && len(args) > 1 {
		return facts{}
	}
	f := facts{spec: spec}
	name := spec.FullName()
	tip := func(text string) bool { return slices.Contains(spec.Tips, text) }
	keyed := len(spec.Keys) > 0 || spec.Locate != nil
	f.script = spec.Runs != cmdtable.RunsNoScript
	f.writes = spec.Flags&cmdtable.Write != 0 || f.script
	f.data = f.writes || spec.Flags&cmdtable.ReadOnly != 0
	f.global = f.data && !keyed
	f.blocking = spec.Flags&cmdtable.Blocking != 0
	f.order = tip("nondeterministic_output_order")
	random := tip("nondeterministic_output")
	switch group := spec.Group; {
	case group == "set", group == "hash", group == "sorted-set", group == "generic" && !keyed:
		f.chance = random
	default:
		f.clock = random
	}
	f.server = !f.writes &&
		(spec.Group == "server" || spec.Group == "connection" || spec.Group == "cluster") &&
		!f.data ||
		spec.Flags&(cmdtable.Admin|cmdtable.PubSub) != 0 && !f.data
	f.withheld = spec.Flags&cmdtable.NoAsyncLoading != 0 || spec.NeedsDebugPermission ||
		spec.Group == "cluster" && spec.Flags&cmdtable.Admin != 0
	x := exceptions[name]
	f.pairs, f.clock, f.server, f.withheld = x.pairs, f.clock ||
		x.clock, f.server ||
		x.server, f.withheld ||
		x.withheld
	return f
}

// refusals are the codes of errors with which a server refuses a command because of its own state,
// which a recording does not have: users, replication, memory, a script of another client. Such a
// command has not run.
var refusals = []string{
	"NOAUTH", "NOPERM", "WRONGPASS", "DENIED", "LOADING", "MASTERDOWN", "READONLY", "NOREPLICAS", "MISCONF", "OOM", "BUSY",
	"CLUSTERDOWN", "MOVED", "ASK", "TRYAGAIN", "NOMASTERLINK",
}

// isRefusal reports whether an error reply in RESP has such a code.
func isRefusal(raw string) bool {
	if !strings.HasPrefix(raw, "-") {
		return false
	}
	code, _, _ := strings.Cut(strings.TrimRight(raw[1:], "\r\n"), " ")
	return slices.Contains(refusals, code)
}

// isKilled reports whether a script was killed by a client. It had not written anything.
func isKilled(raw string) bool {
	return strings.HasPrefix(raw, "-") &&
		(strings.Contains(raw, "Script killed by user") || strings.Contains(raw, "Function killed by user"))
}
