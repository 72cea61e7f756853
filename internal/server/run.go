package server

import (
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Run is the one record of the script or function that runs. It is made where the script begins,
// and says on whose behalf it runs, what it may do, and what it has done. One runs at a time.
type Run struct {
	Command  *Ctx          // the command that runs it; nil: nothing runs
	Function string        // its name; "": a script
	Door     cmdtable.Door // DoorScript or DoorScriptRO
	Session  Session       // that its commands run in
	Wrote    bool          // it has called a command that writes
	Stop     *StopSwitch   // by which its caller can stop it; nil: the caller cannot

	spec         *cmdtable.Spec // of Command; it stays when the run has ended
	countedError bool           // an error in its reply has been counted for its command
}

// Rights are what a script may do by its flags.
type Rights struct {
	ReadOnly  bool // it may not write
	CrossSlot bool // where slots count its keys may be of several
	AllowOOM  bool // it may write where there is no memory left
}

// StoppedByCaller is the error of a script whose caller has stopped it.
const StoppedByCaller = "ERR Script stopped: the context of its call has ended"

// StopSwitch lets the caller of a script stop it as long as it has written nothing. The caller and
// the script may use it at the same time.
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

// Reset makes the switch one of a new call.
func (s *StopSwitch) Reset() { s.state.Store(mayStop) }

// startWriting is called before the first write. It returns false if the script has been stopped.
// After true it cannot be stopped.
func (r *Run) startWriting() bool {
	if r.Stop != nil && !r.Stop.state.CompareAndSwap(mayStop, wrote) && r.Stop.Stopped() {
		return false
	}
	r.Wrote = true
	return true
}

// StartScript makes the record of a script, or of a function with a name. Its commands run in the
// caller's database and in RESP2. A SELECT inside the script does not reach the caller. EndScript
// must follow.
func (s *Server) StartScript(c *Ctx, function string, stop *StopSwitch, may Rights) {
	s.Memory.scriptOut = !may.AllowOOM && s.OutOfMemory()
	if s.oneSlot && s.Cluster == nil { // in a transaction too each script stands for itself
		c.Session.slot, _ = s.slotOf(c.Spec, c.Args, noSlot)
	}
	r := &s.Run
	r.Command, r.Function, r.Stop, r.spec = c, function, stop, c.Spec
	r.Wrote, r.countedError = false, false
	r.Door = cmdtable.DoorScript
	if may.ReadOnly {
		r.Door = cmdtable.DoorScriptRO
	}
	r.Session = Session{
		ID: c.Session.ID, DB: c.DB, Proto: 2, Authenticated: true, User: c.Session.User, Caller: c.Session, crossSlot: may.CrossSlot,
	}
}

// EndScript ends what StartScript began.
func (s *Server) EndScript() { s.Run.Command, s.Run.Stop, s.BusyError = nil, nil, "" }

// ExecuteCompiled is Execute for an EVALSHA whose script the caller has found already. args is its
// command line, with numKeys keys.
func (s *Server) ExecuteCompiled(sess *Session, script any, numKeys int, args []string) reply.Value {
	s.compiled, s.numKeys = script, numKeys
	v := s.Execute(sess, cmdtable.DoorClient, args)
	s.compiled = nil // the command may have been refused
	return v
}

// ExecuteInScript runs a command of the script that runs.
func (s *Server) ExecuteInScript(args []string) reply.Value {
	return s.Execute(&s.Run.Session, s.Run.Door, args)
}

// CountErrorInReply counts an error inside the reply of the script that runs. As in Redis, the
// command that runs the script has failed once for all errors that are new, and once more for each
// that the statistics of another command have counted.
func (s *Server) CountErrorInReply(v reply.Value) {
	r := &s.Run
	if v.Counted() || !r.countedError {
		s.Stats.Calls[r.spec.ID].Failed++
	}
	r.countedError = r.countedError || !v.Counted()
	s.CountError(v)
}
