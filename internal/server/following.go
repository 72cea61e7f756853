package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Following is what the server must know about the master that it follows.
type Following struct {
	Active bool // the server is a replica
	Up     bool // it is connected with its master and has its data
}

// SetFollowing makes the server a replica or a master.
func (s *Server) SetFollowing(f Following) {
	s.Following = f
	s.Store.SetReplica(f.Active, !s.replicaReadOnly())
}

func (s *Server) replicaReadOnly() bool { return s.Config.Value("replica-read-only") == "yes" }

// refusesWrites reports whether clients may not write because the server is a replica.
func (s *Server) refusesWrites() bool { return s.Following.Active && s.replicaReadOnly() }

// isStale reports whether clients may not read, because the data may be old.
func (s *Server) isStale() bool {
	return s.Following.Active && !s.Following.Up && s.Config.Value("replica-serve-stale-data") == "no"
}

// anyQueued reports whether EXEC would run a command for which f is true.
func (s *Server) anyQueued(sess *Session, f func(*cmdtable.Spec) bool) bool {
	return slices.ContainsFunc(sess.Queue, func(args []string) bool { return f(s.Table.Resolve(args)) })
}

// readOnlyError returns the error of a command that writes to a read-only replica, or "".
func (s *Server) readOnlyError(a attempt) string {
	writes := func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.Write != 0 }
	if !s.refusesWrites() || !writes(a.spec) && (!a.spec.IsExec || !s.anyQueued(a.sess, writes)) {
		return ""
	}
	if caller := a.sess.Caller; caller != nil && caller.MustObey {
		return ""
	}
	return errtext.ReadOnlyReplica
}

// staleError returns the error of a command that needs current data, or "".
func (s *Server) staleError(a attempt) string {
	needs := func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.Stale == 0 }
	if !s.isStale() || !needs(a.spec) && (!a.spec.IsExec || !s.anyQueued(a.sess, needs)) {
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
func (s *Server) ReplaceData(empty bool, enter func()) {
	st := s.Store
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
func (s *Server) DisconnectBlocked() {
	for len(s.Queues) > 0 {
		var first *waitQueue
		for _, q := range s.Queues {
			if first == nil || q.seq < first.seq {
				first = q
			}
		}
		w := first.Head.Client
		if !w.Sess.shared {
			w.Sess.CloseAfter = true
		}
		s.Unblock(w, reply.Err(errtext.RoleChanged))
	}
}
