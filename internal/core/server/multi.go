package server

import (
	"slices"
)

// EndMulti leaves the transaction state and drops the watches.
func (s *Server) EndMulti(sess *Session) {
	sess.Queueing, sess.Queue, sess.QueueBytes, sess.QueueFailed, sess.WatchBroken = false, nil, 0, false, false
	s.Unwatch(sess)
}

// Unwatch removes all watched keys of a session.
func (s *Server) Unwatch(sess *Session) {
	for _, w := range sess.Watching {
		k := w.WatchKey
		list := slices.DeleteFunc(s.Watched[k], func(x *Watcher) bool { return x == w })
		if len(list) == 0 {
			delete(s.Watched, k)
		} else {
			s.Watched[k] = list
		}
	}
	sess.Watching = nil
}
