package cmdrows

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// The changes of rows that several commands have; see [cmdtable.Spec].Later.

// gains is a change that adds flags.
func gains(since servers.Since, flags cmdtable.Flag) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) { s.Flags |= flags }}
}

// arity is a change of the arity.
func arity(since servers.Since, n int) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) { s.Arity = n }}
}

// tips is a change of the tips.
func tips(since servers.Since, tips ...string) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) { s.Tips = tips }}
}

// keyFlags is a change of the flags of some key-specs: it adds and takes away.
func keyFlags(since servers.Since, add, drop cmdtable.KeyFlag, specs ...int) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) {
		for _, i := range specs {
			s.Keys[i].Flags = s.Keys[i].Flags&^drop | add
		}
	}}
}

// everywhere are the tips of a command that a client must send to all nodes.
func everywhere(since servers.Since) cmdtable.Change {
	return tips(since, "request_policy:all_nodes", "response_policy:all_succeeded")
}

// arguments is a change of the arguments; see [cmdtable.Spec.Arguments] for the notation.
func arguments(since servers.Since, text string) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) { s.Syntax = text }}
}

// deprecated is the change that COMMAND DOCS calls a command deprecated since a version.
func deprecated(since servers.Since, version string) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) {
		s.Deprecated, s.DocFlags = version, append(slices.Clone(s.DocFlags), "deprecated")
	}}
}

// undeprecated is the change that a command is not deprecated.
func undeprecated(since servers.Since) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) {
		s.Deprecated, s.ReplacedBy = "", ""
		s.DocFlags = slices.DeleteFunc(slices.Clone(s.DocFlags), func(f string) bool { return f == "deprecated" })
	}}
}

// docFlags is a change of what COMMAND DOCS marks a command with.
func docFlags(since servers.Since, flags ...string) cmdtable.Change {
	return cmdtable.Change{Since: since, Set: func(s *cmdtable.Spec) { s.DocFlags = flags }}
}
