package redmoontest

import (
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// Call is a command that the engine has run.
type Call struct {
	Args   []string     // the name as it was written, and the arguments
	Reply  engine.Value // the zero Value if the command has begun to wait, as BLPOP does
	DB     int          // the selected database, from 0
	Script bool         // a script or function has called it
	Exec   bool         // EXEC has run it
	Write  bool         // it may change keys
}

// String returns the call as one line: the command line as in redis-cli, an arrow, the reply. Long
// arguments and replies are cut.
func (c Call) String() string { return harness.Call(c).String() }

// callsOf returns calls in the type of this package.
func callsOf(list []harness.Call) []Call {
	calls := make([]Call, len(list))
	for i, c := range list {
		calls[i] = Call(c)
	}
	return calls
}

// maxCalls is the number of calls that an engine remembers.
const maxCalls = 10_000

// Calls returns the commands that the engine has run, in order, since [New] or [Engine.ResetCalls],
// wherever they came from: Go, RESP, EXEC and scripts. A script comes after the commands that it
// has called. Commands that were refused before they ran, such as unknown ones, are not among them.
// Only the last 5,000 to 10,000 are kept, or fewer if they are larger than 64 MiB.
func (e *Engine) Calls() []Call { return callsOf(e.seen.Calls()) }

// ScriptCalls returns those of [Engine.Calls] that scripts and functions have made.
func (e *Engine) ScriptCalls() []Call { return callsOf(e.seen.ScriptCalls(0)) }

// ResetCalls forgets the commands that [Engine.Calls] returns.
func (e *Engine) ResetCalls() { e.seen.Forget() }
