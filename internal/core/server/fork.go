package server

import (
	"maps"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
)

// Inherit gives s, which is new, the configuration, users and cluster state of from. The store of s
// must hold a copy of the keyspace of from. Caller must not have opened a session of s.
func (s Control) Inherit(from Control) {
	s.Table = from.Table
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
	s.runID, s.Clients.lastID, s.saved = from.runID, from.Clients.lastID, from.saved
	s.Debug.SkipChecksum, s.Debug.AllowNoScript = from.Debug.SkipChecksum, from.Debug.AllowNoScript
	s.Stats.StartMicros, s.Stats.Commands, s.Stats.Connections = from.Stats.StartMicros, from.Stats.Commands, from.Stats.Connections
	s.Stats.Hits, s.Stats.Misses = from.Stats.Hits, from.Stats.Misses
	s.Stats.ErrorReplies, s.Stats.Errors = from.Stats.ErrorReplies, maps.Clone(from.Stats.Errors)
}

// InheritSession gives sess, which is new, the database, user, protocol and name of the session
// from, which belongs to the server that s was forked from.
func (s Control) InheritSession(sess, from *Session) {
	sess.DB, sess.Proto, sess.Name, sess.Authenticated = s.Store.DB(from.DB.ID()), from.Proto, from.Name, from.Authenticated
	if from.User != nil {
		sess.User = s.Access.Users[from.User.Name]
	}
}

// Replace replaces the keyspace by that of from. Sessions that watch, track or wait for keys are
// notified as by FLUSHALL.
func (s Control) Replace(from *datastore.Store) {
	st := s.Store
	for i := range st.Databases() {
		s.TouchAllWatchedKeys(st.DB(i), from.DB(i))
	}
	s.InvalidateAll()
	st.CopyFrom(from)
	for i := range st.Databases() {
		s.SignalAll(st.DB(i))
	}
	s.replaced()
}
