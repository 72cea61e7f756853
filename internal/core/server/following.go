package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Following is what the server must know about the master that it follows.
type Following struct {
	Active bool // the server is a replica
	Up     bool // it is connected with its master and has its data
}

// SetFollowing makes the server a replica or a master.
func (s Control) SetFollowing(f Following) {
	s.Following = f
	s.Store.SetReplica(f.Active, !s.replicaReadOnly())
}

// refusesWrites reports whether clients may not write because the server is a replica.
func (s *Server) refusesWrites() bool { return s.Following.Active && s.replicaReadOnly() }

// isStale reports whether clients may not read, because the data may be old.
func (s *Server) isStale() bool {
	return s.Following.Active && !s.Following.Up && s.Config.Value("replica-serve-stale-data") == "no"
}

// readOnlyError returns the error of a command that writes to a read-only replica, or "".
func (s *Server) readOnlyError(a attempt) string {
	if !s.refusesWrites() || !a.meets(writes) {
		return ""
	}
	if caller := a.sess.Caller; caller != nil && caller.MustObey {
		return ""
	}
	return errtext.ReadOnlyReplica
}

// staleError returns the error of a command that needs current data, or "".
func (s *Server) staleError(a attempt) string {
	if !s.isStale() || !a.meets(func(f cmdtable.Flag) bool { return f&cmdtable.Stale == 0 }) {
		return ""
	}
	if a.door.FromScript() {
		if caller := a.sess.Caller; caller != nil && caller.MustObey {
			return ""
		}
		return errtext.StaleInScript
	}
	return errtext.MasterDown
}

// IsPast reports whether a key that gets the expiry time at, in ms since the epoch, is removed
// immediately. A replica and a load leave that to the master.
func (c *Ctx) IsPast(at int64) bool {
	return at <= c.Now() && !c.Server.Following.Active && !c.Server.Loading.Active
}

// ReplaceData replaces the keyspace: empty removes the keys there are, enter puts others in. Either
// may be nil. Sessions that watch, track or wait for keys are notified as by FLUSHALL.
func (s Control) ReplaceData(empty bool, enter func()) {
	st := s.Store
	st.ForgetOwn()
	if empty {
		for i := range st.Databases() {
			s.TouchAllWatchedKeys(st.DB(i), nil)
		}
		s.InvalidateAll()
		st.FlushAll()
		for i := range st.Databases() {
			s.SignalAll(st.DB(i))
		}
	}
	if enter != nil {
		enter()
	}
}

// DisconnectBlocked ends all commands that wait for keys, because the server has become a replica.
// Their sessions are closed after the reply.
func (s Control) DisconnectBlocked() {
	for len(s.Queues) > 0 {
		var first *waitQueue
		for _, q := range s.Queues {
			if first == nil || q.seq < first.seq {
				first = q
			}
		}
		s.Disconnect(first.Head.Client)
	}
}

// Disconnect ends the wait of w as DisconnectBlocked does.
func (s Control) Disconnect(w *BlockedClient) {
	if !w.Sess.shared {
		w.Sess.CloseAfter = true
	}
	s.Unblock(w, reply.Err(errtext.RoleChanged))
}
