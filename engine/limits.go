package engine

import (
	"errors"
	"time"

	"github.com/redmoon-lua/redmoon/internal/command"
)

// Limits are the parameters that a server holds its connections to, such as maxclients and client-query-buffer-limit.
type Limits = command.ConnLimits

// ErrRefused is wrapped by the error of [Engine.OpenSession] when protected-mode refuses a connection. The error's text is the error
// reply for the client.
var ErrRefused = errors.New("redmoon: connection refused")

type refused string

func (r refused) Error() string      { return string(r) }
func (refused) Is(target error) bool { return target == ErrRefused }

// Limits answers the present limits for connections.
func (e *Engine) Limits() *Limits { return e.server.Config.ConnLimits() }

// CountRejected counts a connection that a server has refused because there are too many.
func (e *Engine) CountRejected() { e.server.Rejected.Add(1) }

// idleCheck is how often idle connections are looked for, while timeout is set.
const idleCheck = time.Second

// watchIdle sees to it that idle connections are looked for, from the moment at which timeout is set.
func (e *Engine) watchIdle() {
	if !e.idling && e.Limits().IdleTimeout > 0 {
		e.idling = true
		e.stopIdle = e.clock.AfterFunc(idleCheck, e.idleTick)
	}
}

// idleTick is called by the clock.
func (e *Engine) idleTick() {
	_ = e.onLoop(func() { // an engine that is closed has none
		e.setNow()
		e.idling = false
		if e.server.HangUpIdle() {
			e.watchIdle()
		}
	})
}
