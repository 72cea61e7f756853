package server

// CloseIdleSockets closes the connections of MIGRATE that have not been used for a while. It
// reports whether others are left.
func (s Control) CloseIdleSockets() (more bool) {
	return s.MigrateSockets.CloseIdle(s.Store.Now()/1000) > 0
}

// Stopwatch returns a function that returns the time in ms since this call. Unlike [Ctx.Now], which
// stands still while a command runs, it moves.
func (s *Server) Stopwatch() (millis func() int64) {
	start := s.Owner.Monotonic()
	return func() int64 { return (s.Owner.Monotonic() - start) / 1e6 }
}
