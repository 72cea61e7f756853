package engine

import (
	"context"

	"github.com/redmoon-lua/redmoon/internal/server"
)

// Session is one caller's state, as a connection has in Redis: the selected database, MULTI
// and WATCH, a name, subscriptions. Calls on it may come from several goroutines, but they share that state.
type Session struct {
	e  *Engine
	s  *server.Session
	in *inbox // nil: what the session is sent goes to SessionInfo.Receive
}

// SessionInfo describes the peer of a session, and how to reach it. Without a Receive it is a session in process.
type SessionInfo struct {
	Addr  string // the peer's address, as CLIENT LIST shows it
	LAddr string // our own address
	// Kill ends the connection from our side (CLIENT KILL). The engine's loop calls it: it must not wait.
	Kill func()
	// Remote says that the peer is not on this machine: protected-mode may refuse it.
	Remote bool
	// Activity answers a number that grows with what the connection reads and writes, from any goroutine. It tells connections that are
	// idle, which the parameter timeout closes. nil: the session is never idle.
	Activity func() int64
	// Use tells what the connection holds. The engine's loop calls it: it must not wait. nil: that is not known.
	Use func() ConnUse
	// Receive hands over what the session did not just ask for (messages of SUBSCRIBE), to be sent in protocol proto, 2 or 3, and
	// tells how many bytes are waiting to be sent. From the first subscription on all replies come this way too, and no longer
	// with their batch, so that everything is in order. The engine's loop calls it: it must not wait. nil: the session
	// is sent messages by [Session.Messages].
	Receive func(v Value, proto int) (waiting int64)
	// Debugs says that who runs the session's batches takes the scripts that SCRIPT DEBUG hands over; see [Batch.Debug].
	Debugs bool
}

// NewSession opens a session in process. It returns [ErrClosed] after Close.
func (e *Engine) NewSession() (*Session, error) { return e.OpenSession(SessionInfo{}) }

// OpenSession opens a session for a connection. The error is one of [ErrRefused] when the configuration forbids it.
func (e *Engine) OpenSession(info SessionInfo) (*Session, error) {
	s := &Session{e: e}
	var no string
	err := e.promptly(func() {
		if no = e.server.Refuses(info.Remote); no != "" {
			return
		}
		s.s = e.server.NewSession(info.Addr, info.LAddr)
		s.s.Activity, s.s.MayDebug = info.Activity, info.Debugs
		if info.Receive == nil {
			s.in = e.openInbox(s.s)
			return
		}
		s.s.Receive = info.Receive
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

// Close ends the session; its watches and subscriptions are forgotten and an open MULTI is discarded. Calls that wait in it, and later
// ones, answer [ErrSessionClosed].
func (s *Session) Close() error {
	err := s.e.promptly(func() { s.e.closeSession(s.s) })
	if s.in != nil && err == nil {
		<-s.in.done
	}
	return err
}

// promptly calls f on the loop, be a script busy or not. f must not touch the keyspace.
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

// RunBatch runs a batch in the session. It is what a server calls for a pipeline of a connection.
func (s *Session) RunBatch(ctx context.Context, b *Batch) error {
	return s.e.runBatchRequest(ctx, s.s, b)
}
