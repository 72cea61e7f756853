package server

// EndMulti leaves the transaction state and drops the watches.
func (s *Server) EndMulti(sess *Session) {
	sess.Queueing, sess.Queue, sess.QueueBytes, sess.QueueFailed, sess.WatchBroken = false, nil, 0, false, false
	s.Clients.Unwatch(sess)
}
