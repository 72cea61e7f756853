package engine

import (
	"errors"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Limits are the parameters that limit the connections of a server, such as maxclients and
// client-query-buffer-limit. It is for servers.
type Limits = config.ConnLimits

// ErrRefused is wrapped by the error of [Engine.OpenSession] if protected-mode refuses the
// connection. The error's text is the error reply for the client.
var ErrRefused = errors.New("redmoon: connection refused")

type refused string

func (r refused) Error() string      { return string(r) }
func (refused) Is(target error) bool { return target == ErrRefused }

// Limits returns the present limits for connections. CONFIG SET replaces them; the caller must not
// change or keep them.
func (e *Engine) Limits() *Limits { return e.server.Config.ConnLimits() }

// ChangesParsing reports whether the command with this name, in any case, may change how the
// requests after it are parsed, such as CONFIG SET proto-max-bulk-len. A server runs it before it
// parses further. It may be called from any goroutine.
func (e *Engine) ChangesParsing(name string) bool { return e.table.ChangesParsing(name) }

// CountRejected counts a connection that a server has refused because there are too many, for
// INFO's rejected_connections.
func (e *Engine) CountRejected() { e.server.Rejected.Add(1) }

// lookEvery is the interval at which clients are checked, while a parameter requires it.
const lookEvery = time.Second

// watchClients starts the periodic check of clients when a parameter begins to require it.
func (e *Engine) watchClients() {
	if e.server.NeedsClientCheck() {
		e.checkClientsSoon()
	}
}

func (e *Engine) checkClientsSoon() {
	if !e.looking {
		e.looking = true
		e.stopLook = e.clock.AfterFunc(lookEvery, e.lookTick)
	}
}

// lookTick is called by the clock.
func (e *Engine) lookTick() {
	e.onTime(func() { // does nothing on a closed engine
		e.setNow()
		e.looking = false
		if e.server.CheckClients() {
			e.checkClientsSoon()
		}
	})
}

// trimSoon schedules the next trim of the table of tracked keys, at the frequency hz, as in Redis.
func (e *Engine) trimSoon() {
	if e.stopTrim == nil {
		e.stopTrim = e.clock.AfterFunc(time.Second/time.Duration(e.server.Config.Int("hz")), e.trimTick)
	}
}

// trimTick is called by the clock.
func (e *Engine) trimTick() {
	_ = e.onLoop(func() {
		e.setNow()
		e.stopTrim = nil
		if e.server.TrimTracked() {
			e.trimSoon()
		}
	})
}

// closeSocketsSoon schedules the next look for unused connections of MIGRATE.
func (e *Engine) closeSocketsSoon() {
	if e.stopIdle == nil {
		e.stopIdle = e.clock.AfterFunc(lookEvery, e.socketTick)
	}
}

// socketTick is called by the clock.
func (e *Engine) socketTick() {
	_ = e.onLoop(func() {
		e.setNow()
		e.stopIdle = nil
		if e.server.CloseIdleSockets() {
			e.closeSocketsSoon()
		}
	})
}

// ConnUse is the memory that a connection holds for its session, in bytes. It is for servers.
type ConnUse = server.ConnUse

// useOf returns a function that returns what ask returns plus the input of the batch that runs.
func (e *Engine) useOf(sess *server.Session, ask func() ConnUse) func() ConnUse {
	return func() ConnUse {
		u := ask()
		if r := e.running; r != nil && r.sess == sess {
			u.Query += r.batch.taken
		}
		return u
	}
}
