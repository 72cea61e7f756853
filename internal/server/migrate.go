package server

import (
	"time"

	"github.com/redmoon-lua/redmoon/internal/migrate"
)

// MigrateSocket returns a connection to the target of MIGRATE. It takes at most timeout.
func (s *Server) MigrateSocket(host, port string, timeout time.Duration) (*migrate.Socket, error) {
	k, err := s.MigrateSockets.Get(host, port, timeout, s.Store.Now()/1000)
	if err == nil && s.CloseSocketsSoon != nil {
		s.CloseSocketsSoon()
	}
	return k, err
}

// CloseIdleSockets closes the connections of MIGRATE that have not been used for a while. It
// reports whether others are left.
func (s *Server) CloseIdleSockets() (more bool) {
	return s.MigrateSockets.CloseIdle(s.Store.Now()/1000) > 0
}

// Stopwatch returns a function that returns the time in ms since this call. Unlike [Ctx.Now], which
// stands still while a command runs, it moves.
func (s *Server) Stopwatch() (millis func() int64) {
	start := s.monotonic()
	return func() int64 { return (s.monotonic() - start) / 1e6 }
}
