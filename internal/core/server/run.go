package server

import (
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Run is the record of the running script or function: who runs it, what it may do, and what it has
// done. It is made when the script begins. Only one script runs at a time.
type Run struct {
	Command  *Ctx          // the command that runs it; nil if none runs
	Function string        // the function's name; "" for a script
	Door     cmdtable.Door // DoorScript or DoorScriptRO
	Session  Session       // the session in which its commands run
	Wrote    bool          // it has called a command that writes
	Stop     *StopSwitch   // lets the caller stop it; nil if the caller cannot
	Reaches  Target        // who receives the effects of its next commands; redis.set_repl sets it

	// MayBeUndone is set if nothing that the script has written remains when it fails. The caller may
	// then stop it, and SCRIPT KILL end it, also after a write.
	MayBeUndone bool

	Busy string // the error that clients get while it is busy, or ""

	writes         int // commands that have changed something
	effects, arena int // lengths of the lists of pending effects when it began

	spec         *cmdtable.Spec // spec of Command; kept after the run has ended
	stat         *ScriptStat    // counters of the script whose command has not ended yet; nil: none
	countedError bool           // an error in its reply has been counted for the command
}

// Rights are what the flags of a script allow.
type Rights struct {
	ReadOnly  bool // it may not write
	CrossSlot bool // its keys may be in several slots
	AllowOOM  bool // it may write without free memory
}

// StoppedByCaller is the error of a script that its caller has stopped.
const StoppedByCaller = "ERR Script stopped: the context of its call has ended"

// StopSwitch lets the caller of a script stop it until its first write, or until its end if what it
// writes may be undone. The caller and the script may use it concurrently.
type StopSwitch struct{ state atomic.Uint32 }

// The states of a switch.
const (
	mayStop uint32 = iota
	stopped
	wrote
)

// Stop stops the script. It does nothing if the script has written.
func (s *StopSwitch) Stop() { s.state.CompareAndSwap(mayStop, stopped) }

// Stopped reports whether the script must end.
func (s *StopSwitch) Stopped() bool { return s != nil && s.state.Load() == stopped }

// Reset prepares the switch for a new call.
func (s *StopSwitch) Reset() { s.state.Store(mayStop) }

// StartWriting is called before the first write. It returns false if the script has been stopped.
// After true the script cannot be stopped any more, unless its writes may be undone.
func (r *Run) StartWriting() bool {
	if r.MayBeUndone {
		if r.Stop.Stopped() {
			return false
		}
		r.Wrote = true
		return true
	}
	if r.Stop != nil && !r.Stop.state.CompareAndSwap(mayStop, wrote) && r.Stop.Stopped() {
		return false
	}
	r.Wrote = true
	return true
}

// StartScript makes the record of a script, or of a function if function is not "". Its commands
// run in the caller's database and in RESP2. A SELECT in the script does not affect the caller.
// Caller must call EndScript.
func (s Control) StartScript(c *Ctx, function string, stop *StopSwitch, may Rights) {
	s.Memory.scriptOut = !may.AllowOOM && s.OutOfMemory()
	if s.oneSlot && s.Cluster == nil { // each script in a transaction is checked separately
		c.Session.slot, _ = s.slotOf(c.Spec, c.Args, noSlot)
	}
	if s.strict.policy != AnyKeys {
		s.strict.begin(c)
	}
	r := &s.Run
	r.Command, r.Function, r.Stop, r.spec = c, function, stop, c.Spec
	r.Wrote, r.countedError, r.Reaches, r.MayBeUndone = false, false, ToAll, s.Undo.running != nil
	r.writes, r.effects, r.arena = 0, len(s.effects.pending), len(s.effects.arena)
	r.Door = cmdtable.DoorScript
	if may.ReadOnly {
		r.Door = cmdtable.DoorScriptRO
	}
	in := &r.Session // commands in scripts change no other field
	in.ID, in.DB, in.Proto, in.Authenticated, in.User, in.Caller = c.Session.ID, c.DB, 2, true, c.Session.User, c.Session
	in.crossSlot, in.MustObey, in.slot = may.CrossSlot, c.Session.MustObey, 0
}

// EndScript ends the run that StartScript began.
func (s Control) EndScript() {
	s.Run.Command, s.Run.Stop, s.Run.Busy = nil, nil, ""
	s.Run.Session.Caller = nil
	if s.strict.policy != AnyKeys {
		s.strict.end()
	}
	if !s.hasEffects() {
		s.effects.cut(s.Run.effects, s.Run.arena)
	}
}

// ExecuteInScript runs a command of the running script.
func (s Control) ExecuteInScript(args []string) reply.Value {
	return s.Execute(&s.Run.Session, s.Run.Door, args)
}

// CountErrorInReply counts an error inside the reply of the running script. As in Redis, the
// command that runs the script has failed once for all new errors, and once more for each error
// that was already counted for another command.
func (s Control) CountErrorInReply(v reply.Value) {
	r := &s.Run
	if v.Counted() || !r.countedError {
		s.Stats.Calls.Of(r.spec.ID).Failed++
	}
	r.countedError = r.countedError || !v.Counted()
	s.Stats.CountError(v)
}
