package engine

import (
	"errors"
	"math"
)

// aging is the state of an engine whose times to live do not simply follow its clock; see HoldTTLs
// of enginedoor.Engine. The loop owns it.
type aging struct {
	held   bool  // times to live stand still
	atMs   int64 // the time, ms since the epoch, at which they were right last
	toMark int64 // us since the epoch: when the server must record its counters
}

// turnBegins is called by setNow when nextMark has come: to record the counters, or at every turn
// of an engine with aging.
func (e *Engine) turnBegins(now int64) {
	if e.aging == nil {
		e.nextMark = e.server.Mark(now)
		return
	}
	if now >= e.aging.toMark {
		e.aging.toMark = e.server.Mark(now)
	}
	e.followClock()
}

// followClock lets the keyspace age as the clock has moved, or keeps it from ageing.
func (e *Engine) followClock() {
	a, now := e.aging, e.server.Store.Now()
	if a.held || now < a.atMs {
		e.server.Store.Postpone(now - a.atMs)
	} else {
		e.expireToTheEnd()
	}
	a.atMs = now
}

// expireToTheEnd removes the keys and fields whose time to live is 0 or less. Redis lets them exist
// for one more millisecond.
func (e *Engine) expireToTheEnd() {
	s := e.server.Store
	now := s.NowMicros()
	s.SetNow(now + 1000)
	s.SetActiveExpire(true)
	for e.server.ExpireCycle(expireBatch) == expireBatch {
	}
	s.SetActiveExpire(false)
	s.SetNow(now)
}

// holdTTLs is HoldTTLs of enginedoor.Engine.
func (e *Engine) holdTTLs(hold bool) error {
	return e.onLoop(func() {
		if e.aging == nil {
			e.aging = &aging{}
			e.nextMark = math.MinInt64
			e.server.Store.SetActiveExpire(false)
			e.server.Store.SetClock(nil) // times to live are right for the beginning of a request
		}
		e.aging.held, e.aging.atMs = hold, e.server.Store.Now()
	})
}

// age is Age of enginedoor.Engine.
func (e *Engine) age(ms int64) error {
	return e.onLoop(func() {
		e.server.Store.Postpone(-ms)
		e.expireToTheEnd()
	})
}

// errStillOpen is returned for an engine that has not been closed.
var errStillOpen = errors.New("redmoon: the engine is not closed")

// reopen is Reopen of enginedoor.Engine.
func (e *Engine) reopen() (*Engine, error) {
	if !e.closed.Load() {
		return nil, errStillOpen
	}
	<-e.stopped
	return e.fork(nil)
}

// atomically is Atomically of enginedoor.Engine.
func (e *Engine) atomically(f func(do func(db int, args ...string) Value)) error {
	return e.onLoop(func() {
		sess := e.server.NewProgramSession()
		f(func(db int, args ...string) Value {
			sess.DB = e.server.Store.DB(db)
			v, w := e.execute(sess, args, nil)
			if w != nil { // nobody waits for it
				w.Done = func(late Value) { v = late }
				e.server.TimeOut(w)
			}
			return v.Clone()
		})
	})
}
