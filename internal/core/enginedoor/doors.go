package enginedoor

import (
	"context"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Engine is the door of an *engine.Engine, which is E. S is *engine.Session.
type Engine[E, S any] interface {
	// What a server of connections needs.

	// OpenSession opens a session for a connection. The error wraps [ErrRefused] if protected-mode
	// refuses the connection; else it is engine.ErrClosed or ErrReentrant.
	OpenSession(info SessionInfo) (S, error)
	// RunTurn runs calls in order. It returns true when each of them has ended or waits, for example
	// in BLPOP.
	//
	// A script of the turn may become busy: it has run for busy-reply-threshold. The calls after it
	// are then answered as any request during a busy script. If RunTurn has borrowed the loop, its
	// goroutine cannot serve others until the script ends, so RunTurn calls takeOver. takeOver must
	// start another goroutine, which owns the calls from then on. RunTurn returns false when the
	// script has ended, and its caller must not touch the calls.
	//
	// Call.Err is engine.ErrSessionClosed if the session has ended, and ErrClosed after Engine.Close.
	RunTurn(calls []*Call, takeOver func()) bool
	// Limits returns the present limits for connections. CONFIG SET replaces them; the caller must not
	// change or keep them.
	Limits() *Limits
	// CountRejected counts a connection that a server has refused because there are too many, for
	// INFO's rejected_connections.
	CountRejected()
	// ChangesParsing reports whether the command with this name, in any case, may change how the
	// requests after it are parsed, such as CONFIG SET proto-max-bulk-len. A server runs it before it
	// parses further. It may be called from any goroutine.
	ChangesParsing(name string) bool

	// What tests, and the tools that play scripts, need.

	// Store calls f with the store as one atomic step on the engine's own goroutine. Unlike
	// engine.Engine.View it gives access to everything: f may register listeners. f must not keep the
	// store. The errors are those of View.
	Store(ctx context.Context, f func(*datastore.Store) error) error
	// Receive sets the function that receives the effects of all commands for a target; see
	// [server.Server.Receive]. The errors are those of View.
	Receive(to server.Target, f func(list []server.Effect, together bool)) error
	// HoldTTLs says how keys and hash fields age from now on. It is for tests that come from
	// miniredis.
	//
	//   - If hold is true, their times to live stand still however the clock moves; only Age shortens
	//     them.
	//   - If hold is false, their times to live follow the clock; a clock that goes back does not
	//     lengthen them.
	//
	// In both cases nothing expires between requests: the engine removes what has expired when a
	// request begins. It does so when the time to live reaches 0, not a millisecond later as Redis. A
	// fork of the engine does the same.
	HoldTTLs(hold bool) error
	// Age shortens all times to live by ms milliseconds and removes what has expired by then. The
	// clock does not move. HoldTTLs must have been called.
	Age(ms int64) error
	// Atomically calls f on the engine's own goroutine as one atomic step. do runs a command in a
	// database, with all rights. f must not call the engine, and its commands must not wait. It must
	// not end its goroutine.
	Atomically(f func(do func(db int, args ...string) reply.Value)) error
	// Reopen returns a new engine with everything that this one held when it was closed; see
	// engine.Engine.Fork. It fails as Fork does, and if this one is not closed.
	Reopen() (E, error)
	// SetSource sets the source of random choices.
	SetSource(src rand.Source) error
	// EndScripts ends the script that runs, whatever it has done, and every later one. why is the
	// error of their commands. ended is called with each such command on the engine's own goroutine,
	// before it ends, shortened, and must not call the engine; command is "" for a script that is
	// still being compiled.
	EndScripts(why string, ended func(command string))
	// Try calls f with a trial as one atomic step on the engine's own goroutine: f runs commands to
	// see their replies, and everything is undone at the end. f must not keep the trial. See
	// [server.Server.Try]. The errors are those of View.
	Try(f func(*server.Trial)) error
}

// Session is the door of an *engine.Session.
type Session interface {
	// RunBatch runs a batch in the session, such as a pipeline of a connection. After an error the
	// replies of the commands that have run are in b.
	RunBatch(ctx context.Context, b *Batch) error
	// NewCall returns a call of the session for RunTurn. If the call ends after RunTurn has returned,
	// the engine calls done on its own goroutine. done must not block or call the engine.
	NewCall(done func()) *Call
	// WatchBroken reports whether an EXEC of the session would fail because a watched key has changed,
	// also in the trial. Only f of Try may call it.
	WatchBroken() bool
}

// Files is the door of *persist.Files, the files in which an engine keeps its data set.
type Files interface {
	// Attach is called by engine.New. One Files is for one engine: the second call is an error.
	Attach(server.Host) (server.Persistence, error)
	// Background reports whether engine.New returns while the data set is still being loaded.
	Background() bool
}
