package replay

// What follows for a replay from the row of a command.

import (
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// facts says what a replay must know about a command, by its row.
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

// factsOf returns the facts of a command line.
func factsOf(table *cmdtable.Table, args []string) facts {
	spec := table.Resolve(args)
	if spec == nil || (len(spec.Subs) > 0 && len(args) > 1) {
		return facts{}
	}
	if f, ok := factsOfSpec.Load(spec); ok {
		return f.(facts)
	}
	f := newFacts(spec)
	factsOfSpec.Store(spec, f)
	return f
}

// factsOfSpec has the facts of rows that were asked for: to find them takes longer than to run many
// a command.
var factsOfSpec sync.Map

func newFacts(spec *cmdtable.Spec) facts {
	f := facts{spec: spec}
	f.script = spec.Runs != cmdtable.RunsNoScript
	f.writes = spec.Flags&cmdtable.Write != 0 || f.script
	f.data = f.writes || spec.Flags&cmdtable.ReadOnly != 0
	f.global = f.data && !spec.HasKeys()
	f.blocking = spec.Flags&cmdtable.Blocking != 0
	scan := spec.HasCursor() // which elements one call of it finds depends on the seed of hashes
	f.order = spec.Varies&cmdtable.ByOrder != 0 && !scan
	f.pairs = f.order && isPairs(spec)
	f.chance = spec.Varies&cmdtable.ByChance != 0 || scan
	f.clock = spec.Varies&(cmdtable.ByClock|cmdtable.ByDate) != 0
	f.server = (!f.data && (spec.Beside()&beyondRecording != 0 || spec.Varies&cmdtable.ByDate != 0)) ||
		(spec.Varies&cmdtable.ByServer != 0 && isNumber(spec))
	f.withheld = spec.Flags&cmdtable.NoAsyncLoading != 0 || spec.NeedsDebugPermission || spec.Beside()&cmdtable.Files != 0 ||
		spec.Changes&cmdtable.Servers != 0 || (spec.Reads&cmdtable.Servers != 0 && spec.Flags&cmdtable.Admin != 0)
	return f
}

// beyondRecording are the things of which a recording does not have the whole state.
const beyondRecording = ^(cmdtable.Nothing | cmdtable.Transaction | cmdtable.Scripts | cmdtable.Libraries)

// isNumber reports whether the reply is an integer.
func isNumber(spec *cmdtable.Spec) bool { return spec.Replies().Usual.Kinds&cmdtable.ReplyInt != 0 }

// isPairs reports whether the reply is one list of names and values in RESP2.
func isPairs(spec *cmdtable.Spec) bool {
	usual := spec.Replies().Usual
	return usual.Map && len(usual.Elements) == 2
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
