package server

// EndMulti leaves the transaction state and drops the watches.
func (s *Server) EndMulti(sess *Session) {
	s.Clients.Unwatch(sess)
	sess.transaction = transaction{InExec: sess.InExec}
}

// queue adds a command line to the queue of MULTI.
func (t *transaction) queue(args []string) {
	t.Queue = append(t.Queue, append([]string(nil), args...))
	t.QueueBytes += argBytes(args) + pointer*int64(len(args))
}
