package engine

import (
	"context"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// What the packages of this module need of an engine and a session, and users do not get: package
// enginedoor documents the methods. The hinges have aliases that are not exported, so that the
// fields of Engine and Session are not.
type (
	engineDoor   = enginedoor.Engine[*Engine, *Session]
	hinge        = enginedoor.Hinge[engineDoor]
	sessionHinge = enginedoor.Hinge[enginedoor.Session]
)

// door implements engineDoor.
type door struct{ e *Engine }

func (d door) OpenSession(info enginedoor.SessionInfo) (*Session, error) {
	return d.e.openSession(info)
}

func (d door) RunTurn(calls []*enginedoor.Call, takeOver func()) bool {
	return d.e.runTurn(calls, takeOver)
}

func (d door) Limits() *enginedoor.Limits      { return d.e.server.Config.ConnLimits() }
func (d door) CountRejected()                  { d.e.server.Rejected.Add(1) }
func (d door) ChangesParsing(name string) bool { return d.e.table.ChangesParsing(name) }

func (d door) Store(ctx context.Context, f func(*datastore.Store) error) error {
	return d.e.viewStore(ctx, f)
}

func (d door) Receive(to server.Target, f func(list []server.Effect, together bool)) error {
	return d.e.onLoop(func() { d.e.server.Receive(to, f) })
}

func (d door) HoldTTLs(hold bool) error        { return d.e.holdTTLs(hold) }
func (d door) Age(ms int64) error              { return d.e.age(ms) }
func (d door) Reopen() (*Engine, error)        { return d.e.reopen() }
func (d door) Try(f func(*server.Trial)) error { return d.e.try(f) }

func (d door) Atomically(f func(do func(db int, args ...string) Value)) error {
	return d.e.atomically(f)
}

func (d door) SetSource(src rand.Source) error {
	return d.e.onLoop(func() { d.e.server.Store.SetSource(src) })
}

func (d door) EndScripts(why string, ended func(command string)) { d.e.endScripts(why, ended) }

// sessionDoor implements enginedoor.Session.
type sessionDoor struct{ s *Session }

func (d sessionDoor) RunBatch(ctx context.Context, b *enginedoor.Batch) error {
	return d.s.e.runBatchRequest(ctx, d.s.s, b)
}

func (d sessionDoor) NewCall(done func()) *enginedoor.Call { return newCall(d.s, done) }
func (d sessionDoor) WatchBroken() bool                    { return d.s.e.server.WatchBroken(d.s.s) }
