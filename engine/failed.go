package engine

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// failed returns the error of requests after a load of the data set has failed: what is in memory
// is a part of it, so nobody may read it, and a dump of it would replace the whole.
func (e *Engine) failed() error {
	if err := e.server.Loading.Failed; err != nil {
		return fmt.Errorf("%w: %w", reply.ParseError(server.ErrLoading), err)
	}
	return nil
}

// takeFailed answers a request in the place of takeNext: commands with LOADING, and calls of Go
// with the reason. Sessions begin and end as before, so that a connection gets its answer.
func (e *Engine) takeFailed(r *request, why error) {
	if !r.state.CompareAndSwap(pending, started) {
		e.freeRequest(r) // withdrawn
		return
	}
	e.setNow()
	e.current = r
	switch r.kind {
	case batchRequest:
		e.running = r
		b := r.batch
		beginBatch(b, e.server)
		for range b.Commands {
			addReply(b, e.server, reply.Err(server.ErrLoading), r.sess)
		}
		endBatch(b, e.server, r.sess)
		e.running = nil
	case promptRequest:
		e.guard(r)
	default:
		r.err = why
	}
	e.current = nil
	e.finishAnswer(r)
}
