package engine

import (
	"errors"

	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
)

// ErrReentrant is returned by a call of an engine from the engine's own goroutine, which could
// never be answered: from a function given to [Engine.View], or from one that the engine calls
// ([Options] Logger, Clock, Rand and ApplyConfig, the functions of a connection, a [Debugger]).
// The call has had no effect.
//
// The check has two limits. If such a function waits for another goroutine that calls the engine,
// both wait for ever. And only amd64 and arm64 have the check: on other processors such a call
// waits for ever.
var ErrReentrant = errors.New("redmoon: the engine was called from its own goroutine, by a function that it waits for (View, a logger, " +
	"a clock, a debugger ...)")

// reentrant reports whether it is called on the loop's goroutine. It takes two nanoseconds.
func (m *mailbox) reentrant() bool {
	self := goroutine.Self()
	return self != 0 && self == m.self.Load()
}

// onTime calls f on the loop for a timer of the clock, waits until it returns, and reports whether
// it has run. f does not run if the engine is closed. If a function on the loop has moved a virtual
// clock, f runs later.
func (e *Engine) onTime(f func()) (run bool) {
	if !e.reentrant() {
		return e.onLoop(f) == nil
	}
	r := e.newRequest()
	r.kind, r.fn = funcRequest, f
	e.watch.deferred = append(e.watch.deferred, r)
	return false
}
