package engine

import (
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// refused is the error of OpenSession for a connection that the server refuses.
type refused string

func (r refused) Error() string      { return string(r) }
func (refused) Is(target error) bool { return target == enginedoor.ErrRefused }

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

// useOf returns a function that returns what ask returns plus the input of the batch that runs.
func (e *Engine) useOf(sess *server.Session, ask func() server.ConnUse) func() server.ConnUse {
	return func() server.ConnUse {
		u := ask()
		if r := e.running; r != nil && r.sess == sess {
			u.Query += r.batch.Loop.Taken
		}
		return u
	}
}
