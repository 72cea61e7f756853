package engine

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// stopSwitch returns the switch by which the caller of the current request can stop the script that
// c runs. It is nil if the caller cannot: its context has no end, or c is not alone in its request,
// since other commands of a batch or transaction may have written already.
func (e *Engine) stopSwitch(c *server.Ctx) *server.StopSwitch {
	r := e.current
	if r == nil || !r.cancellable || r.kind != commandRequest || c.Door != cmdtable.DoorClient {
		return nil
	}
	return &r.stop
}

// interrupt is called by a caller whose context has ended. It stops the script that r runs, if that
// has written nothing yet: the loop ends the script when it attends, and refuses its writes.
func (e *Engine) interrupt(r *request) {
	r.abandoned.Store(true)
	r.stop.Stop()
	e.watch.attention.Store(true)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.debugged != nil && e.debugged.request == r {
		e.debugged.close()
	}
}

// endCancellable notes in r that its script was stopped because the context of the call has ended.
func (e *Engine) endCancellable(r *request) {
	if r.stop.Stopped() && r.reply.IsError() &&
		(strings.HasSuffix(r.reply.Text(), server.StoppedByCaller) || r.debug != nil) {
		r.err = errInterrupted
	}
}
