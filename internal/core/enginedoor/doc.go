// Package enginedoor gives this module's own packages and tests what package engine does not
// export.
//
// Package engine sets the variables when it is initialized. It cannot export the functions as
// methods, because every importer could call those; this package is internal.
package enginedoor

import (
	"context"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Store calls f with the store of e, an *engine.Engine, as one atomic step on the engine's own
// goroutine. Unlike engine.Engine.View it gives access to everything: f may register listeners. f
// must not keep the store. The errors are those of View.
var Store func(ctx context.Context, e any, f func(*datastore.Store) error) error

// Receive sets the function that receives the effects of all commands of e, an *engine.Engine, for
// a target; see [server.Server.Receive]. The errors are those of View.
var Receive func(e any, to server.Target, f func(list []server.Effect, together bool)) error

// HoldTTLs says how the keys and hash fields of e, an *engine.Engine, age from now on. It is for
// tests that come from miniredis.
//
//   - If hold is true, their times to live stand still however the clock moves; only Age shortens
//     them.
//   - If hold is false, their times to live follow the clock; a clock that goes back does not
//     lengthen them.
//
// In both cases nothing expires between requests: the engine removes what has expired when a
// request begins. It does so when the time to live reaches 0, not a millisecond later as Redis. A
// fork of e does the same.
var HoldTTLs func(e any, hold bool) error

// Age shortens all times to live of e, an *engine.Engine, by ms milliseconds and removes what has
// expired by then. The clock does not move. HoldTTLs must have been called.
var Age func(e any, ms int64) error

// Atomically calls f on the engine's own goroutine as one atomic step of e, an *engine.Engine. do
// runs a command in a database, with all rights. f must not call the engine, and its commands must
// not wait. It must not end its goroutine.
var Atomically func(e any, f func(do func(db int, args ...string) reply.Value)) error

// Reopen returns a new *engine.Engine with everything that e, an *engine.Engine, held when it was
// closed; see engine.Engine.Fork. It fails as Fork does, and if e is not closed.
var Reopen func(e any) (any, error)

// SetSource sets the source of the random choices of e, an *engine.Engine.
var SetSource func(e any, src rand.Source) error

// EndScripts ends the script that runs in e, an *engine.Engine, whatever it has done, and every
// later one. why is the error of their commands. ended is called with each such command on the
// engine's own goroutine, before it ends, shortened, and must not call the engine; command is ""
// for a script that is still being compiled.
var EndScripts func(e any, why string, ended func(command string))

// Try calls f with a trial of e, an *engine.Engine, as one atomic step on the engine's own
// goroutine: f runs commands to see their replies, and everything is undone at the end. f must not
// keep the trial. See [server.Server.Try]. The errors are those of View.
var Try func(e any, f func(*server.Trial)) error

// WatchBroken reports whether an EXEC of a session, an *engine.Session, would fail because a
// watched key has changed, also in the trial. Only f of Try may call it.
var WatchBroken func(session any) bool
