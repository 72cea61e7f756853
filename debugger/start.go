package debugger

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Start begins to debug a script on e, or on a fork of e if o.Sync is false. It does not wait for
// the script. Cancelling ctx aborts the script. The caller must receive all [Session.Events] or
// close the session. It returns an error if the engine is closed, and [ErrNoFunction].
func Start(ctx context.Context, e *engine.Engine, t Target, o Options) (*Session, error) {
	fork := func() error { return nil }
	if !o.Sync {
		forked, err := e.Fork()
		if err != nil {
			return nil, err
		}
		e, fork = forked, forked.Close
	}
	return begin(ctx, e, t, o, fork)
}

// StartOn is like [Start], with the selected database and the user of a session.
func StartOn(ctx context.Context, on *engine.Session, t Target, o Options) (*Session, error) {
	fork := func() error { return nil }
	if !o.Sync {
		forked, sess, err := on.Fork()
		if err != nil {
			return nil, err
		}
		on, fork = sess, forked.Close
	}
	return begin(ctx, on, t, o, fork)
}

// place is an engine or a session.
type place interface {
	engine.Doer
	DebugScript(
		ctx context.Context, s *engine.Script, keys, args []string, begin func(*engine.DebugRun) engine.Debugger,
	) (engine.Value, error)
	DebugFunction(ctx context.Context, call engine.FunctionCall, begin func(*engine.DebugRun) engine.Debugger) (engine.Value, error)
}

func begin(ctx context.Context, on place, t Target, o Options, fork func() error) (*Session, error) {
	text := t.Script
	if text == nil {
		var err error
		if text, err = libraryOf(ctx, on, t.Function); err != nil {
			_ = fork() // an engine's Close always succeeds
			return nil, err
		}
	}
	s := newSession(text.Source(), o)
	s.loads = t.Function != "" && t.Script != nil
	ctx, s.cancel = context.WithCancel(ctx)
	go func() {
		v, err := t.debug(ctx, on, s.begin)
		s.cancel()
		_ = fork()
		s.end(v, err)
	}()
	return s, nil
}

// debug runs the script or function under the debugger that begin returns.
func (t Target) debug(ctx context.Context, on place, begin func(*engine.DebugRun) engine.Debugger) (engine.Value, error) {
	if t.Function == "" {
		return on.DebugScript(ctx, t.Script, t.Keys, t.Args, begin)
	}
	call := engine.FunctionCall{Library: t.Script, Name: t.Function, Keys: t.Keys, Args: t.Args, ReadOnly: t.ReadOnly}
	return on.DebugFunction(ctx, call, begin)
}

// end marks the session as ended and sends the last event. Further calls do nothing.
func (s *Session) end(v engine.Value, err error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	s.mu.Unlock()
	aborted := s.requests.Load()&abortRequested != 0
	var left *engine.ScriptError
	errors.As(err, &left)
	var failed *engine.Error
	if errors.As(err, &failed) {
		v, err = reply.Err(failed.Error()), nil
	}
	if aborted {
		err = nil
	}
	s.events.put(Ended{Reply: v, Err: err, Aborted: aborted, Left: left})
	s.events.end()
	close(s.done)
}

// Attach debugs scripts that callers of e run, on e itself, until detach is called. They are those
// of EVAL and the like, functions (FCALL), and texts of libraries (FUNCTION LOAD).
//
// The engine calls choose before each of them, on its own goroutine. If choose returns true, the
// script is debugged with the returned options; it always runs on e itself, whatever Options.Sync
// is. choose must not block. For each session, begun is called on a goroutine of its own; it must
// receive the events of the session, or close it.
//
// Several callers may attach to one engine. The first one whose choose returns true for a script
// gets it. A session that has begun goes on after detach: end it with [Session.Detach] or
// [Session.Abort]. detach waits while a script is stopped, so end the sessions first.
func Attach(
	e *engine.Engine, choose func(engine.ScriptCall) (o Options, ok bool), begun func(*Session, engine.ScriptCall),
) (detach func(), err error) {
	return e.InterceptScripts(func(c engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
		o, ok := choose(c)
		if !ok {
			return nil
		}
		o.Sync = true
		c.Keys, c.Args = cloneAll(c.Keys), cloneAll(c.Args)
		s := newSession(c.Script.Source(), o)
		s.attached = true
		go begun(s, c)
		return s.begin
	})
}
