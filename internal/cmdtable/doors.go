package cmdtable

import (
	"math"
	"slices"
)

// Door is where a command came from. It is a policy of the gate.
type Door uint8

// The doors.
const (
	DoorClient   Door = iota // Go API or RESP
	DoorScript               // redis.call and redis.pcall
	DoorScriptRO             // the same in a read-only script
	DoorExec                 // a queued command run by EXEC
)

// FromScript reports whether the command came from a script.
func (d Door) FromScript() bool { return d == DoorScript || d == DoorScriptRO }

// named reports whether the rejected arguments name a command that the door knows.
func (s *Spec) NamedBy(door Door, args []string) bool {
	if s == nil || len(s.Subs) > 0 && len(args) > 1 {
		return false
	}
	if door.FromScript() {
		return s.Handler != nil || len(s.Subs) > 0 || s.Flags&NoScript != 0
	}
	return s.Visible()
}

// prepare derives what the gate asks of a row for every call.
func (s *Spec) prepare() {
	s.Lookahead = s.findLookahead()
	s.MinArgs, s.MaxArgs = s.Arity, s.Arity
	if s.Arity < 0 {
		s.MinArgs, s.MaxArgs = -s.Arity, math.MaxInt
	}
	s.NeedsDebugPermission = s.Parent == nil && s.Name == "debug"
	s.RunsInMulti = s.Parent == nil && slices.Contains(runInMulti, s.Name)
	s.IsExec = s.Parent == nil && s.Name == "exec"
	s.RunsScript = s.Categories()&CatScripting != 0 && len(s.Keys) > 0
	s.OnlyReads = s.Flags&(ReadOnly|MayReplicate) == ReadOnly && s.Categories()&CatScripting == 0
	s.Short = s.Flags&Fast != 0 || s.Complexity == "O(1)"
	s.AllowedSubscribed = s.Parent == nil && slices.Contains(inSubscribed, s.Name)
	s.ChangesSession = slices.Contains(keepState, s.FullName())
	if s.Handler == nil {
		return
	}
	if len(s.Subs) > 0 {
		s.MaxArgs = 1 // more arguments name a subcommand
	}
	s.Doors |= 1<<DoorClient | 1<<DoorExec
	if s.Flags&NoScript == 0 {
		s.Doors |= 1 << DoorScript
		if s.Flags&(Write|MayReplicate) == 0 {
			s.Doors |= 1 << DoorScriptRO
		}
	}
}

// visible reports whether clients may know of the command: it is built, for more than the
// checks of the script door.
func (s *Spec) Visible() bool {
	return s.Doors&(1<<DoorClient) != 0 || slices.ContainsFunc(s.Subs, (*Spec).Visible)
}

// VisibleSubs are the subcommands that clients may know of.
func (s *Spec) VisibleSubs() []*Spec {
	return slices.DeleteFunc(slices.Clone(s.Subs), func(sub *Spec) bool { return !sub.Visible() })
}

// keepState are the commands that change the state of their session.
var keepState = []string{"multi", "exec", "discard", "watch", "unwatch", "select", "hello", "auth", "reset", "quit",
	"client|setname", "monitor", "client|reply", "client|tracking", "client|caching", "client|no-evict", "client|no-touch", "client|setinfo",
	"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"}

// inSubscribed are the commands that a subscribed session of RESP2 may run.
var inSubscribed = []string{"subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe", "ping", "quit", "reset"}

// runInMulti are the commands that run at once between MULTI and EXEC.
var runInMulti = []string{"exec", "discard", "multi", "watch", "quit", "reset"}

// MayWait reports whether a command from this door may wait. Those of transactions and scripts answer as if their
// time were out.
func (d Door) MayWait() bool { return d == DoorClient }
