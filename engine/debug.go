package engine

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// What a debugger sees of a script that it has stopped.
type (
	// Debugger is told what a script does while it is run.
	Debugger = luabridge.Debugger
	// Stack is the functions that a script is in the middle of.
	Stack = luabridge.Stack
	// Frame is one function in progress.
	Frame = luabridge.Frame
	// FrameKind says what kind of function a frame is of.
	FrameKind = luabridge.FrameKind
	// Variable is a local, an upvalue or one of the values of ... .
	Variable = luabridge.Variable
	// LuaValue is a value of a script.
	LuaValue = luabridge.Value
	// LuaKind is what type() says of a value.
	LuaKind = luabridge.Kind
	// LuaField is one entry of a table.
	LuaField = luabridge.Field
)

var errUnbuilt = errors.New("unbuilt")

// DebugRun is a script that is run under a debugger. Its methods are for the methods of the Debugger, on the goroutine on which those are called.
type DebugRun struct {
}

// Do runs a command at a stop, as redis.call would; an error reply is a Value. Neither the Debugger nor the script are told of it.
func (r *DebugRun) Do(args ...string) Value { panic(errUnbuilt) }

// Touched are the keys that the run has changed so far, with the database of each, in the order of the changes, one for each event of the change feed.
func (r *DebugRun) Touched() []TouchedKey { panic(errUnbuilt) }

// Done is closed when the script is to end: the context of its call has ended, or the engine is closed or shut down. A Debugger that holds the script
// lets go of it then, by [Stack.Abort].
func (r *DebugRun) Done() <-chan struct{} { panic(errUnbuilt) }

// OnEnd has f called, on the engine's goroutine, when the script has ended and is not to be run once more, with its reply. It replaces what was set before, also
// in an earlier run of the script.
func (r *DebugRun) OnEnd(f func(Value)) { panic(errUnbuilt) }

// TouchedKey is one change of a key.
type TouchedKey struct {
	DB         int
	Key, Event string // Event is what a keyspace notification calls it: "set", "del", "expire"
}

// Rewind makes the script, when it has ended, be run once more from the state before it: what it has written is undone, time stands where it stood, random choices
// are the same, and nobody is told of what was undone. The reply is that of the last run.
func (r *DebugRun) Rewind() { panic(errUnbuilt) }

// DebugScript runs s as RunScript does, under the Debugger that start gives. start is called on the engine's goroutine before each run of the script (see [DebugRun.Rewind]). While the
// Debugger holds the script, the engine serves nobody else: debug on a [Engine.Fork] where others must go on.
func (e *Engine) DebugScript(ctx context.Context, s *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	panic(errUnbuilt)
}

// DebugScript is [Engine.DebugScript] for the session's database and user.
func (s *Session) DebugScript(ctx context.Context, script *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	panic(errUnbuilt)
}

// ScriptCall is a call of EVAL, EVALSHA or their _RO forms.
type ScriptCall struct {
	Script     *Script
	Keys, Args []string // to be copied if kept
	Session    int64    // the id of the client, as CLIENT LIST shows it
}

// InterceptScripts has choose asked, on the engine's goroutine, before each script that a caller runs: where it gives a function, the script is run as [Engine.DebugScript] does. Several may be
// set: they are asked in the order in which they came, until one gives a function. stop takes choose away, and may be called from any goroutine but the engine's. It costs scripts nothing while there is none.
func (e *Engine) InterceptScripts(choose func(ScriptCall) func(*DebugRun) Debugger) (stop func(), err error) {
	panic(errUnbuilt)
}

// Fork returns an engine of its own with all that e holds now: keys with their times, scripts, functions, the configuration, users; not the clients. Its clock is e's.
// The caller closes it.
func (e *Engine) Fork() (*Engine, error) { panic(errUnbuilt) }

// Fork is [Engine.Fork] with a session on the new engine that has the database, the user and the protocol of s.
func (s *Session) Fork() (*Engine, *Session, error) { panic(errUnbuilt) }

// Snapshot is what the databases of an engine held at one time.
type Snapshot struct{}

// Snapshot copies what the databases hold, at the price of all of it.
func (e *Engine) Snapshot() (*Snapshot, error) { panic(errUnbuilt) }

// Restore puts the databases back to what they held, which clients that watch or track keys are told as of FLUSHALL.
func (e *Engine) Restore(s *Snapshot) error { panic(errUnbuilt) }

// KeyChange is a key whose value or time to live differ.
type KeyChange struct {
	DB            int
	Key           string
	Before, After string // type, time to live and value, as text for people; "" where there is no key
}

// Changes are the keys that differ between s and now, by database and name.
func (e *Engine) Changes(s *Snapshot) ([]KeyChange, error) { panic(errUnbuilt) }
