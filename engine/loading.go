package engine

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// serveOthers serves the requests that have come while the running request loads the data set.
// Commands that need the data set are refused, and requests of the engine itself wait.
func (e *Engine) serveOthers() {
	e.setNow()
	e.server.Loading.Unwanted = e.closed.Load()
	e.serveBusy()
}

// unavailable returns the error for requests that need the keyspace while a script is busy or the
// data set is being loaded.
func (e *Engine) unavailable() error {
	if busy := e.server.Busy(); busy != "" {
		return reply.ParseError(busy)
	}
	return reply.ParseError(server.ErrLoading)
}
