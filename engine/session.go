package engine

import (
	"context"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Session is the state of one caller, like that of a connection in Redis: the selected database,
// MULTI and WATCH, a name, subscriptions. Make it with [Engine.NewSession], and close it when it is
// no longer needed. Several goroutines may call it, but they share that state, and a command that
// blocks also blocks the calls after it.
type Session struct {
	sessionHinge
	e  *Engine
	s  *server.Session
	in *inbox // nil: Receive of enginedoor.SessionInfo gets the messages
}

// NewSession opens a session in process: database 0, RESP2, the user "default". The error is
// [ErrClosed] or [ErrReentrant].
func (e *Engine) NewSession() (*Session, error) { return e.openSession(enginedoor.SessionInfo{}) }

// openSession is OpenSession of [enginedoor.Engine].
func (e *Engine) openSession(info enginedoor.SessionInfo) (*Session, error) {
	s := &Session{e: e}
	s.sessionHinge = enginedoor.NewHinge[enginedoor.Session](sessionDoor{s})
	var no string
	err := e.promptly(func() {
		if no = e.server.RefuseConnection(info.Remote); no != "" {
			return
		}
		s.s = e.server.NewSession(info.Addr, info.LAddr)
		s.s.Activity, s.s.Debugging.Allowed, s.s.Descriptor = info.Activity, info.Debugs, info.Descriptor
		if info.Receive == nil {
			s.in = e.openInbox(s.s)
			return
		}
		s.s.Receive, s.s.TakeOver = info.Receive, info.TakeOver
		if info.Use != nil {
			s.s.Use = e.useOf(s.s, info.Use)
		}
		if info.Kill != nil {
			s.s.Kill = func(server.Ending) { info.Kill() }
		}
	})
	if err != nil {
		return nil, err
	}
	if no != "" {
		return nil, refused(no)
	}
	return s, nil
}

// Close ends the session: its watches and subscriptions end, and an open MULTI is discarded. Calls
// that are blocked in it, and later calls, return [ErrSessionClosed]. A second Close does nothing.
// The only errors are [ErrClosed] and [ErrReentrant].
func (s *Session) Close() error {
	err := s.e.promptly(func() { s.e.closeSession(s.s) })
	if s.in != nil && err == nil {
		<-s.in.q.Done()
	}
	return err
}

// promptly calls f on the loop, even while a script is busy. f must not touch the keyspace.
func (e *Engine) promptly(f func()) error { return e.call(promptRequest, f) }

// onLoop calls f on the loop.
func (e *Engine) onLoop(f func()) error { return e.call(funcRequest, f) }

func (e *Engine) call(kind requestKind, f func()) error {
	r := e.newRequest()
	r.kind, r.fn = kind, f
	if err := e.roundTrip(noContext, r); err != nil {
		return err
	}
	e.freeRequest(r)
	return nil
}

// Do runs one command in the session; see [Engine.Do].
func (s *Session) Do(ctx context.Context, args ...any) (Value, error) {
	v, err := s.e.do(ctx, s.s, args)
	return v, s.reason(err)
}

// DoStrings runs one command in the session; see [Engine.DoStrings].
func (s *Session) DoStrings(ctx context.Context, args ...string) (Value, error) {
	v, err := s.e.doStrings(ctx, s.s, args)
	return v, s.reason(err)
}

// Eval runs a script in the session's database; see [Engine.Eval].
func (s *Session) Eval(ctx context.Context, script string, keys []string, args ...any) (Value, error) {
	v, err := s.e.eval(ctx, s.s, "EVAL", script, keys, args)
	return v, s.reason(err)
}

// EvalSHA runs a cached script in the session's database; see [Engine.EvalSHA].
func (s *Session) EvalSHA(ctx context.Context, sha1 string, keys []string, args ...any) (Value, error) {
	v, err := s.e.eval(ctx, s.s, "EVALSHA", sha1, keys, args)
	return v, s.reason(err)
}

// Pipeline returns an empty pipeline that runs in the session.
func (s *Session) Pipeline() *Pipeline { return &Pipeline{e: s.e, sess: s.s} }
