// Package enginedoor gives this module's own packages and tests what package engine does not
// export.
//
// Package engine sets the variables when it is initialized. It cannot export the functions as
// methods, because every importer could call those; this package is internal.
package enginedoor

import (
	"context"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// Store calls f with the store of e, an *engine.Engine, as one atomic step on the engine's own
// goroutine. Unlike engine.Engine.View it gives access to everything: f may register listeners. f
// must not keep the store. The errors are those of View.
var Store func(ctx context.Context, e any, f func(*datastore.Store) error) error

// Receive sets the function that receives the effects of all commands of e, an *engine.Engine, for
// a target; see [server.Server.Receive]. The errors are those of View.
var Receive func(e any, to server.Target, f func(list []server.Effect, together bool)) error

// Try calls f with a trial of e, an *engine.Engine, as one atomic step on the engine's own
// goroutine: f runs commands to see their replies, and everything is undone at the end. f must not
// keep the trial. See [server.Server.Try]. The errors are those of View.
var Try func(e any, f func(*server.Trial)) error

// WatchBroken reports whether an EXEC of a session, an *engine.Session, would fail because a
// watched key has changed, also in the trial. Only f of Try may call it.
var WatchBroken func(session any) bool
