package cmdtable

import (
	"math"
	"slices"
)

// Door is where a command came from. The gate applies other checks to each door.
type Door uint8

// The doors.
const (
	DoorClient   Door = iota // the Go API or a RESP connection
	DoorScript               // redis.call and redis.pcall
	DoorScriptRO             // redis.call and redis.pcall in a read-only script
	DoorExec                 // a queued command run by EXEC
	doorCount
)

// Admits reports whether a door lets the command through with so many arguments, its name included.
func (s *Spec) Admits(d Door, args int) bool {
	return s.Doors&(1<<d) != 0 && args >= s.MinArgs && args <= s.MaxArgs
}

// FromScript reports whether the command came from a script.
func (d Door) FromScript() bool { return d == DoorScript || d == DoorScriptRO }

// NamedBy reports whether rejected arguments of the row name a command that exists for the door:
// then the error is about the arguments, otherwise about an unknown command. The row may be nil.
func (s *Spec) NamedBy(door Door, args []string) bool {
	if s == nil || len(s.Subs) > 0 && len(args) > 1 {
		return false
	}
	if door.FromScript() {
		return s.Handler != nil || len(s.Subs) > 0 || s.Flags&NoScript != 0
	}
	return s.Visible()
}

// prepare computes the fields that the gate reads for every call.
func (s *Spec) prepare() {
	s.Lookahead = s.findLookahead()
	s.MinArgs, s.MaxArgs = s.Arity, s.Arity
	if s.Arity < 0 {
		s.MinArgs, s.MaxArgs = -s.Arity, math.MaxInt
	}
	s.OnlyReads = s.Flags&(ReadOnly|MayReplicate) == ReadOnly && s.Categories()&CatScripting == 0
	s.Short = s.Flags&Fast != 0 || s.Complexity == "O(1)"
	if s.Handler == nil {
		return
	}
	if len(s.Subs) > 0 {
		s.MaxArgs = 1 // more arguments name a subcommand
	}
	s.Doors |= 1<<DoorClient | 1<<DoorExec
	if s.Flags&NoScript == 0 {
		s.Doors |= 1<<DoorScript | 1<<DoorScriptRO
	}
}

// Visible reports whether clients may know the command. A row that has neither a handler nor
// subcommands exists only so that scripts get its error.
func (s *Spec) Visible() bool {
	return s.Doors&(1<<DoorClient) != 0 || slices.ContainsFunc(s.Subs, (*Spec).Visible)
}

// VisibleSubs returns the subcommands that are [Spec.Visible].
func (s *Spec) VisibleSubs() []*Spec {
	return slices.DeleteFunc(slices.Clone(s.Subs), func(sub *Spec) bool { return !sub.Visible() })
}

// MayWait reports whether a blocking command from this door may wait. In transactions and scripts
// it replies as if its timeout had expired.
func (d Door) MayWait() bool { return d == DoorClient }
