package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugScript runs s as RunScript does, under the Debugger that start gives. start is called on the engine's goroutine before each run of the script (see [DebugRun.Rewind]); it is
// not called where the script does not come to run, because of the user's rights, say. While the Debugger holds the script, the engine serves nobody else, as Redis in SCRIPT DEBUG SYNC:
// debug on a [Engine.Fork] where others must go on. The time for which it does is no time of the script: nobody is answered BUSY because of it.
//
// In a session between MULTI and EXEC the script is queued, and not debugged.
func (e *Engine) DebugScript(ctx context.Context, s *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	return e.debugScript(ctx, e.shared, s, keys, args, start)
}

// DebugScript is [Engine.DebugScript] for the session's database and user.
func (s *Session) DebugScript(ctx context.Context, script *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	v, err := s.e.debugScript(ctx, s.s, script, keys, args, start)
	return v, s.reason(err)
}

func (e *Engine) debugScript(ctx context.Context, sess *server.Session, s *Script, keys, args []string, start func(*DebugRun) Debugger) (Value, error) {
	r := e.newRequest()
	r.args = append(r.args, evalCommand(s), s.source, strconv.Itoa(len(keys)))
	r.args = append(r.args, keys...)
	r.args = append(r.args, args...)
	r.sess, r.debug = sess, start
	return e.finish(ctx, r)
}

// ScriptCall is a call of EVAL, EVALSHA or their _RO forms.
type ScriptCall struct {
	Script     *Script
	Keys, Args []string // to be copied if kept
	Session    int64    // the id of the client, as CLIENT LIST shows it; 0: a call of the Engine itself
}

// chooser is one who intercepts scripts.
type chooser struct {
	choose func(ScriptCall) func(*DebugRun) Debugger
}

// InterceptScripts has choose asked, on the engine's goroutine, before each script that a caller runs, also in a transaction: where it gives a function, the script is run as
// [Engine.DebugScript] does. It is not asked about scripts that DebugScript runs, nor about functions (FCALL). Several may be
// set: they are asked in the order in which they came, until one gives a function. stop takes choose away, and may be called from any goroutine but the engine's; while a script is stopped it waits. It costs scripts
// nothing while there is none.
func (e *Engine) InterceptScripts(choose func(ScriptCall) func(*DebugRun) Debugger) (stop func(), err error) {
	c := &chooser{choose}
	if err := e.onLoop(func() { e.choosers = append(e.choosers, c) }); err != nil {
		return nil, err
	}
	return func() {
		_ = e.onLoop(func() { // an engine that is closed asks nobody
			if e.choosers = slices.DeleteFunc(e.choosers, func(x *chooser) bool { return x == c }); len(e.choosers) == 0 {
				e.choosers = nil
			}
		})
	}, nil
}

// debuggerFor is how to debug a script that is about to run; nil: not at all.
func (e *Engine) debuggerFor(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool) func(*DebugRun) Debugger {
	if e.current != nil && e.current.debug != nil {
		return e.current.debug
	}
	call := ScriptCall{
		Script: &Script{source: script.Source, sha: script.SHA, readOnly: readOnly}, Keys: keys, Args: argv, Session: c.Session.ID,
	}
	for _, x := range e.choosers {
		if start := x.choose(call); start != nil {
			return start
		}
	}
	return nil
}

// runWatched is the end of run where somebody may want to debug.
func (s *scripts) runWatched(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool) reply.Value {
	if start := s.e.debuggerFor(c, script, keys, argv, readOnly); start != nil {
		return s.debug(c, script, keys, argv, readOnly, start)
	}
	return s.runPlain(script, keys, argv)
}
