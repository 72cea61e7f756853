package engine

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// stopSwitch returns the switch with which the caller of the current request can stop the script of
// c. It is nil if the context of the caller cannot end, or if the request has other commands, which
// may have written already.
func (s *serving) stopSwitch(c *server.Ctx) *server.StopSwitch {
	r := s.current
	if r == nil || !r.cancellable || r.kind != commandRequest || c.Door != cmdtable.DoorClient {
		return nil
	}
	return &r.stop
}

// interrupt is called by a caller whose context has ended. It stops the script that r runs unless
// that has written: the loop refuses its writes, and ends it at the next attend.
func (e *Engine) interrupt(r *request) {
	r.abandoned.Store(true)
	r.stop.Stop()
	e.watch.attention.Store(true)
	e.debugs.mu.Lock()
	defer e.debugs.mu.Unlock()
	if e.debugs.running != nil && e.debugs.running.request == r {
		e.debugs.running.close()
	}
}

// endCancellable records in r that its script was stopped because the context of the call has
// ended.
func (e *Engine) endCancellable(r *request) {
	if r.stop.Stopped() && r.reply.IsError() &&
		(strings.HasSuffix(r.reply.Text(), server.StoppedByCaller) || r.debug != nil) {
		r.err = errInterrupted
	}
}
