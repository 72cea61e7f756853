package cmdtable

import "math"

// Door is where a command came from. The gate applies other checks to each door.
type Door uint8

// The doors.
const (
	DoorClient   Door = iota // the Go API or a RESP connection
	DoorScript               // redis.call and redis.pcall
	DoorScriptRO             // redis.call and redis.pcall in a read-only script
	DoorExec                 // a queued command run by EXEC
	Doors                    // the number of doors
)

// Admits reports whether a door lets the command through with so many arguments, its name included.
func (s *Spec) Admits(d Door, args int) bool {
	return s.Doors&(1<<d) != 0 && args >= s.MinArgs && args <= s.MaxArgs
}

// FromScript reports whether the command came from a script.
func (d Door) FromScript() bool { return d == DoorScript || d == DoorScriptRO }

// HasHandler reports whether the command can run. A container cannot, except COMMAND, whose arity
// allows it to stand alone.
func (s *Spec) HasHandler() bool { return len(s.Subs) == 0 || s.Arity == -1 }

// prepare computes the fields that the gate reads for every call.
func (s *Spec) prepare() {
	s.Lookahead = s.findLookahead()
	s.MinArgs, s.MaxArgs = s.Arity, s.Arity
	if s.Arity < 0 {
		s.MinArgs, s.MaxArgs = -s.Arity, math.MaxInt
	}
	s.OnlyReads = s.Flags&(ReadOnly|MayReplicate) == ReadOnly && s.Categories()&CatScripting == 0
	s.Short = s.Flags&Fast != 0 || s.Complexity == "O(1)"
	if !s.HasHandler() {
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

// MayWait reports whether a blocking command from this door may wait. In transactions and scripts
// it replies as if its timeout had expired.
func (d Door) MayWait() bool { return d == DoorClient }
