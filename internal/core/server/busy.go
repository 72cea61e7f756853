package server

import (
	"fmt"
	"log/slog"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// The errors that other clients get while a script or function runs for longer than
// busy-reply-threshold.
var (
	errBusyScript = errtext.Usual("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.").
			Since("-/8.0.0", "BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")
	errBusyFunction = errtext.Usual("BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.").
			Since("-/8.0.0", "BUSY Valkey is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.")
)

// ErrUnkillable is the error of SCRIPT KILL and FUNCTION KILL for what has written.
const ErrUnkillable = "UNKILLABLE Sorry the script already executed write commands against the dataset. " +
	"You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."

// IsScriptBusy reports whether a script, not a function, is busy.
func (s *Server) IsScriptBusy() bool { return s.Run.Busy == errBusyScript.Of(s.Follows) }

// KilledByUser returns the error of a script or function that SCRIPT KILL or FUNCTION KILL has
// ended. The position in the script follows it.
func (s *Server) KilledByUser(function bool) string {
	if function {
		return functionKilled.Of(s.Follows)
	}
	return scriptKilled.Of(s.Follows)
}

// Redis names SCRIPT KILL in both.
var (
	scriptKilled   = errtext.Usual(killedByScriptKill).Since("-/8.1.0", "ERR Script killed by user with SCRIPT KILL.")
	functionKilled = errtext.Usual(killedByScriptKill).Since("-/8.1.0", "ERR Script killed by user with FUNCTION KILL.")
)

const killedByScriptKill = "ERR Script killed by user with SCRIPT KILL..."

// LevelVerbose is the level verbose of Redis's log, between debug and notice.
const LevelVerbose = slog.LevelDebug + 2

// LogSlowScript logs that the running script or function is busy, after so many ms.
func (s Control) LogSlowScript(ms int64) {
	command, name := "FUNCTION KILL", s.scriptName()
	if s.Run.Function == "" {
		command = "SCRIPT KILL"
	}
	s.Log.Warn(fmt.Sprintf("Slow script detected: still in execution after %d milliseconds. You can try killing the script using the "+
		"%s command. Script name is: %s.", ms, command, name))
}

// ExecuteBusy is Execute for a command of another client while a script or function is busy or the
// data set is being loaded. Few commands are allowed then. It leaves the state of the running
// command in the server unchanged.
func (s Control) ExecuteBusy(sess *Session, args []string) reply.Value {
	levels, level, pending, stat := s.levels, s.level, s.tracking.pending, s.Run.stat
	s.levels, s.level, s.tracking.pending, s.Run.stat = nil, 0, nil, nil
	restoreEffects := s.effects.setAside()
	defer func() {
		restoreEffects()
		s.levels, s.level, s.tracking.pending, s.Run.stat = levels, level, pending, stat
		if s.Clients.AnyNoTouch {
			s.Store.SetNoTouch(s.Run.Command != nil && s.Run.Command.Session.NoTouch)
		}
	}()
	return s.Execute(sess, cmdtable.DoorClient, args)
}

// DescribeRunning returns what FUNCTION STATS shows of the running function.
func (s *Server) DescribeRunning() reply.Value {
	if s.Run.Busy == "" {
		return reply.Nil()
	}
	args := s.Run.Command.Args
	words := make([]reply.Value, len(args))
	for i, arg := range args {
		words[i] = reply.Bulk(arg)
	}
	return reply.Map(reply.Bulk("name"), reply.Bulk(s.Run.Function), reply.Bulk("command"), reply.Array(words...),
		reply.Bulk("duration_ms"), reply.Int(s.Owner.ScriptMillis()))
}
