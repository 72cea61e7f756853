package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugScript runs s as RunScript does, under the Debugger that start returns. The engine calls
// start on its own goroutine before each run of the script (see [DebugRun.Rewind]). If start
// returns nil, the run is not debugged. The engine does not call start if it refuses the script,
// for example because of the user's permissions.
//
// While the Debugger stops the script, the engine serves nobody else, like Redis during SCRIPT
// DEBUG SYNC. To serve others meanwhile, debug on an [Engine.Fork]. The time of a stop does not
// count as running time of the script: no caller gets BUSY because of it.
//
// Between MULTI and EXEC of a session the script is queued and not debugged.
func (e *Engine) DebugScript(ctx context.Context, s *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	return e.debugScript(ctx, e.shared, s, keys, args, start)
}

// DebugScript is [Engine.DebugScript] with the session's database and user.
func (s *Session) DebugScript(ctx context.Context, script *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	v, err := s.e.debugScript(ctx, s.s, script, keys, args, start)
	return v, s.reason(err)
}

func (e *Engine) debugScript(ctx context.Context, sess *server.Session, s *Script, keys, args []string,
	start func(*DebugRun) Debugger) (Value, error) {
	r := e.newRequest()
	r.args = append(r.args, evalCommand(s), s.source, strconv.Itoa(len(keys)))
	r.args = append(r.args, keys...)
	r.args = append(r.args, args...)
	r.sess, r.debug = sess, start
	return e.finish(ctx, r)
}

// ScriptCall is a call of EVAL, EVALSHA, FCALL or their _RO forms, or of FUNCTION LOAD.
type ScriptCall struct {
	Script     *Script  // of FCALL and FUNCTION LOAD: the text of the library
	Function   string   // the function that FCALL calls; else ""
	Loading    bool     // FUNCTION LOAD runs the text of a library
	Keys, Args []string // valid only during the call; copy what you keep
	Session    int64    // the id of the client, as CLIENT LIST shows it; 0: a call of the Engine itself
}

// chooser is a function that [Engine.InterceptScripts] has registered.
type chooser struct {
	choose func(ScriptCall) func(*DebugRun) Debugger
}

// MayDebug reports whether the user of the session may debug a script of another caller. Whoever
// debugs a script calls commands with the rights of its caller; so the user must be the same, or
// one without restrictions. Only a function that [Engine.InterceptScripts] calls may call it.
func (s *Session) MayDebug(call ScriptCall) bool { return s.e.server.MayDebug(s.s, call.Session) }

// InterceptScripts registers choose. The engine calls it on its own goroutine before each script
// that a caller runs, each function that it calls (FCALL), and each text of a library that FUNCTION
// LOAD runs, also in a transaction. If choose returns a function, the engine runs the script as
// [Engine.DebugScript] does with that function. It does not call choose for scripts of DebugScript
// and DebugFunction. If several functions are registered, the engine calls them in the order of
// their registration until one returns a function.
//
// stop removes choose. Any goroutine except the engine's may call it; it blocks while a debugger
// stops a script. While no function is registered, scripts run at full speed. The error is
// [ErrClosed] or [ErrReentrant].
func (e *Engine) InterceptScripts(choose func(ScriptCall) func(*DebugRun) Debugger) (stop func(), err error) {
	c := &chooser{choose}
	if err := e.onLoop(func() { e.debugs.choosers = append(e.debugs.choosers, c) }); err != nil {
		return nil, err
	}
	return func() {
		_ = e.onLoop(func() { // a closed engine runs no scripts
			if e.debugs.choosers = slices.DeleteFunc(e.debugs.choosers, func(x *chooser) bool { return x == c }); len(e.debugs.choosers) == 0 {
				e.debugs.choosers = nil
			}
		})
	}, nil
}

// maybeDebugged reports whether a debugger may want the script that is about to run.
func (e *Engine) maybeDebugged() bool {
	return e.debugs.choosers != nil || e.current != nil && e.current.debug != nil
}

// debuggerFor returns the start function for a script that is about to run, or nil if it is not
// debugged.
func (e *Engine) debuggerFor(c *server.Ctx, call ScriptCall) func(*DebugRun) Debugger {
	if e.current != nil && e.current.debug != nil {
		return e.current.debug
	}
	call.Session = c.Session.ID
	for _, x := range e.debugs.choosers {
		if start := x.choose(call); start != nil {
			return start
		}
	}
	return nil
}

// runWatched is the last step of run if a debugger may want the script.
func (s *scripts) runWatched(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool) reply.Value {
	call := ScriptCall{Script: &Script{source: script.Source, sha: script.SHA, readOnly: readOnly}, Keys: keys, Args: argv}
	if start := s.e.debuggerFor(c, call); start != nil {
		return s.debug(c, script, keys, argv, readOnly, start)
	}
	return s.runPlain(script, keys, argv)
}
