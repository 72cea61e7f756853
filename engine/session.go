package engine

import (
	"context"
	"io"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Session is the state of one caller, like that of a connection in Redis: the selected database,
// MULTI and WATCH, a name, subscriptions. Make it with [Engine.NewSession], and close it when it is
// no longer needed. Several goroutines may call it, but they share that state, and a command that
// blocks also blocks the calls after it.
type Session struct {
	e  *Engine
	s  *server.Session
	in *inbox // nil: SessionInfo.Receive gets the messages
}

// SessionInfo describes the connection of a session. It is for servers. A session without Receive
// is a session in process, like that of [Engine.NewSession].
//
// The engine calls the functions Kill, Use, Receive and TakeOver on its own goroutine: they must
// not wait and must not call the engine ([ErrReentrant]).
type SessionInfo struct {
	Addr  string // the peer's address, as CLIENT LIST shows it
	LAddr string // the server's own address
	// Descriptor is the number of the connection's file descriptor, for CLIENT LIST. 0: none.
	Descriptor int
	// Kill closes the connection (CLIENT KILL). Used only with Receive.
	Kill func()
	// Remote says that the peer is on another machine: protected-mode may refuse it.
	Remote bool
	// Activity returns a number that grows whenever the connection reads or writes. The engine closes
	// a connection that is idle for longer than the parameter timeout. Activity must be safe for
	// concurrent use. Nil: the session is never idle.
	Activity func() int64
	// Use returns the memory that the connection holds. Nil: it is not known. Used only with Receive.
	Use func() ConnUse
	// Receive takes a message, to be sent in protocol proto (2 or 3), and returns how many bytes are
	// waiting to be sent. From the first subscription on it also takes all replies, which then no
	// longer come with their batch, so that messages and replies keep their order. Nil:
	// [Session.Messages] delivers the messages.
	Receive func(v Value, proto int) (waiting int64)
	// TakeOver hands the output of the connection over, for a client that becomes a replica: when the
	// replies of the engine's earlier commands have been sent, it calls send on a goroutine of its
	// own, and closes the connection when send returns. over is closed when the connection ends. Nil:
	// the client cannot become a replica.
	TakeOver func(send func(w io.Writer, over <-chan struct{}))
	// Debugs says that the caller of RunBatch runs the scripts that SCRIPT DEBUG hands over; see
	// [Batch].Debug.
	Debugs bool
}

// NewSession opens a session in process: database 0, RESP2, the user "default". The error is
// [ErrClosed] or [ErrReentrant].
func (e *Engine) NewSession() (*Session, error) { return e.OpenSession(SessionInfo{}) }

// OpenSession opens a session for a connection. It is for servers. The error wraps [ErrRefused] if
// protected-mode refuses the connection; else it is [ErrClosed] or [ErrReentrant].
func (e *Engine) OpenSession(info SessionInfo) (*Session, error) {
	s := &Session{e: e}
	var no string
	err := e.promptly(func() {
		if no = e.server.RefuseConnection(info.Remote); no != "" {
			return
		}
		s.s = e.server.NewSession(info.Addr, info.LAddr)
		s.s.Activity, s.s.MayDebug, s.s.Descriptor = info.Activity, info.Debugs, info.Descriptor
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

// RunBatch runs a batch in the session. It is for servers, which call it for the pipelines of a
// connection. After an error the replies of the commands that have run are in b.
func (s *Session) RunBatch(ctx context.Context, b *Batch) error {
	return s.e.runBatchRequest(ctx, s.s, b)
}
