package command

import (
	"maps"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Inherit makes s, which is new, go on as from would, whose keyspace its store has a copy of: with its configuration, users and place in the cluster. Caller must not have
// opened a session of s.
func (s *Server) Inherit(from *Server) {
	for i := range from.Config.params {
		if v := from.Config.value(i); v != s.Config.value(i) {
			s.Config.store(i, v)
		}
	}
	for name, u := range from.access.users {
		c := u.clone()
		if name == defaultUser {
			*s.access.first = *c
			c = s.access.first
		}
		s.access.users[name] = c
	}
	if from.cluster != nil {
		*s.cluster = *from.cluster
	}
	s.runID, s.nextID = from.runID, from.nextID
	s.debug.skipChecksum, s.debug.allowNoScript = from.debug.skipChecksum, from.debug.allowNoScript
	s.Stats.StartMicros, s.Stats.Commands, s.Stats.Connections = from.Stats.StartMicros, from.Stats.Commands, from.Stats.Connections
	s.Stats.Hits, s.Stats.Misses = from.Stats.Hits, from.Stats.Misses
	s.Stats.ErrorReplies, s.Stats.Errors = from.Stats.ErrorReplies, maps.Clone(from.Stats.Errors)
}

// InheritSession gives sess, which is new, the database, user, protocol and name of a session of the server that s was forked from.
func (s *Server) InheritSession(sess, from *Session) {
	sess.DB, sess.Proto, sess.Name, sess.Authenticated = s.Store.DB(from.DB.ID()), from.Proto, from.Name, from.Authenticated
	if from.user != nil {
		sess.user = s.access.users[from.user.name]
	}
}

// Replace makes the keyspace what that of from is. Those who watch or track keys, or wait for them, are told as of FLUSHALL.
func (s *Server) Replace(from *datastore.Store) {
	st := s.Store
	for i := range st.Databases() {
		s.touchAll(st.DB(i), from.DB(i))
	}
	s.invalidateAll()
	st.CopyFrom(from)
	for i := range st.Databases() {
		s.signalAll(st.DB(i))
	}
}
