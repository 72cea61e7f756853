package debugger

import (
	"context"
	"errors"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Start begins to debug a script. Cancelling ctx aborts it. Events must be received until the last, or the session closed.
func Start(ctx context.Context, e *engine.Engine, t Target, o Options) (*Session, error) {
	fork := func() error { return nil }
	if !o.Sync {
		forked, err := e.Fork()
		if err != nil {
			return nil, err
		}
		e, fork = forked, forked.Close
	}
	return begin(ctx, t, o, e.DebugScript, fork), nil
}

// StartOn is Start with the database and user of a session.
func StartOn(ctx context.Context, on *engine.Session, t Target, o Options) (*Session, error) {
	fork := func() error { return nil }
	if !o.Sync {
		forked, sess, err := on.Fork()
		if err != nil {
			return nil, err
		}
		on, fork = sess, forked.Close
	}
	return begin(ctx, t, o, on.DebugScript, fork), nil
}

// debugScript is DebugScript of an engine or a session.
type debugScript func(context.Context, *engine.Script, []string, []string, func(*engine.DebugRun) engine.Debugger) (engine.Value, error)

func begin(ctx context.Context, t Target, o Options, debug debugScript, fork func() error) *Session {
	s := newSession(t.Script.Source(), o)
	ctx, s.cancel = context.WithCancel(ctx)
	go func() {
		v, err := debug(ctx, t.Script, t.Keys, t.Args, s.begin)
		s.cancel()
		_ = fork() // an engine's Close always succeeds
		s.end(v, err)
	}()
	return s
}

// end tells that the script is over. It does so once.
func (s *Session) end(v engine.Value, err error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	s.mu.Unlock()
	aborted := s.asked.Load()&abortAsked != 0
	var failed *engine.Error
	if errors.As(err, &failed) {
		v, err = reply.Err(failed.Error()), nil
	}
	if aborted {
		err = nil
	}
	s.events.put(Ended{Reply: v, Err: err, Aborted: aborted})
	s.events.end()
	close(s.done)
}

// Attach debugs the scripts that callers of e run and choose accepts, on e itself, until detach is called. choose is asked on the engine's goroutine before each script and gives the
// options for it (Sync is taken as true); it must not wait. begun is called for each session, on a goroutine of its own. Several may be attached to one engine: the first whose choose accepts a script
// gets it. A session that has begun goes on after detach: end it by Detach or Abort. While
// a script is stopped detach waits: so Detach comes first.
func Attach(e *engine.Engine, choose func(engine.ScriptCall) (o Options, ok bool), begun func(*Session, engine.ScriptCall)) (detach func(), err error) {
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
