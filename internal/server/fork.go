package server

import (
	"maps"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/acl"
)

// Inherit makes s, which is new, go on as from would, whose keyspace its store has a copy of: with
// its configuration, users and place in the cluster. Caller must not have opened a session of s.
func (s *Server) Inherit(from *Server) {
	for i := range from.Config.Params {
		if v := from.Config.ValueAt(i); v != s.Config.ValueAt(i) {
			s.Config.SetAt(i, v)
		}
	}
	for name, u := range from.Access.Users {
		c := u.Clone()
		if name == acl.DefaultUser {
			*s.Access.Default = *c
			c = s.Access.Default
		}
		s.Access.Users[name] = c
	}
	if from.Cluster != nil {
		*s.Cluster = *from.Cluster
	}
	s.runID, s.nextID = from.runID, from.nextID
	s.Debug.SkipChecksum, s.Debug.AllowNoScript = from.Debug.SkipChecksum, from.Debug.AllowNoScript
	s.Stats.StartMicros, s.Stats.Commands, s.Stats.Connections = from.Stats.StartMicros, from.Stats.Commands, from.Stats.Connections
	s.Stats.Hits, s.Stats.Misses = from.Stats.Hits, from.Stats.Misses
	s.Stats.ErrorReplies, s.Stats.Errors = from.Stats.ErrorReplies, maps.Clone(from.Stats.Errors)
}

// InheritSession gives sess, which is new, the database, user, protocol and name of a session of
// the server that s was forked from.
func (s *Server) InheritSession(sess, from *Session) {
	sess.DB, sess.Proto, sess.Name, sess.Authenticated = s.Store.DB(from.DB.ID()), from.Proto, from.Name, from.Authenticated
	if from.User != nil {
		sess.User = s.Access.Users[from.User.Name]
	}
}

// Replace makes the keyspace what that of from is. Those who watch or track keys, or wait for them,
// are told as of FLUSHALL.
func (s *Server) Replace(from *datastore.Store) {
	st := s.Store
	for i := range st.Databases() {
		s.TouchAll(st.DB(i), from.DB(i))
	}
	s.InvalidateAll()
	st.CopyFrom(from)
	for i := range st.Databases() {
		s.SignalAll(st.DB(i))
	}
}
