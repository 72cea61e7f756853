package server

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/config"
)

// With maxmemory-clients the server keeps the sum of what all clients take: a client is counted
// anew when it comes with a command, when it is sent something, when its connection says that it
// holds more, and each second. When the sum reaches the limit, clients are disconnected, the
// largest first.

// clientSums is what the server knows of the memory of its clients while that is limited.
type clientSums struct {
	sum     int64 // of Session.counted
	moves   int64 // how often a client has come into another class of size
	Evicted int64
}

// leastClientLimit is the lowest limit that has an effect: with less, nobody could talk to the
// server.
const leastClientLimit = 128 << 10

// Clients are evicted by classes of size: all in the first have less than 32 KiB, each further
// class begins at twice the size of the one before.
const (
	SmallestClass = 15 // 1<<15 bytes
	SizeClasses   = 19
)

func SizeClass(bytes int64) int {
	return min(max(bits.Len64(uint64(bytes))-SmallestClass, 0), SizeClasses-1)
}

// BoundsClients reports whether maxmemory-clients is set.
func (s *Server) BoundsClients() bool { return s.Config.Clients != config.ClientMemory{} }

// clientLimit is the limit in bytes; 0: there is none.
func (s *Server) clientLimit() uint64 {
	limit := s.Config.Clients.Limit
	if share := s.Config.Clients.Share; share > 0 {
		limit = s.Config.Memory.Limit / 100 * share
	}
	if limit == 0 {
		return 0
	}
	return max(limit, leastClientLimit)
}

// remote reports whether the session is one of a connection. Sessions in process are the program's
// own: they are not evicted.
func (sess *Session) remote() bool { return sess.Addr != "" }

func (sess *Session) Evictable() bool { return sess.remote() && !sess.NoEvict && !sess.gone }

// account counts what a session takes.
func (s *Server) Account(sess *Session) {
	if !sess.remote() || sess.gone {
		return
	}
	u := sess.use()
	n := s.memoryOf(sess, &u)
	if sess.moved == 0 || SizeClass(n) != SizeClass(sess.Counted) {
		s.Clients.moves++
		sess.moved = s.Clients.moves
	}
	s.Clients.sum += n - sess.Counted
	sess.Counted = n
}

// discount forgets what a session that ends took.
func (s *Server) discount(sess *Session) {
	s.Clients.sum -= sess.Counted
	sess.Counted = 0
}

// accountAll counts all sessions.
func (s *Server) accountAll() {
	for _, sess := range s.Sessions {
		s.Account(sess)
	}
}

// evictClients disconnects clients while they take as much as maxmemory-clients says or more, after
// it has counted sess.
func (s *Server) evictClients(sess *Session) {
	if sess != nil {
		s.Account(sess)
	}
	limit := s.clientLimit()
	if limit == 0 || s.Clients.sum < int64(min(limit, 1<<62)) {
		return
	}
	var list []*Session
	for _, sess := range s.Sessions {
		if sess.Evictable() {
			list = append(list, sess)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(SizeClass(b.Counted), SizeClass(a.Counted)), cmp.Compare(a.moved, b.moved), cmp.Compare(a.ID, b.ID))
	})
	for _, sess := range list {
		if s.Clients.sum < int64(limit) {
			return
		}
		s.Log.Info("redmoon: a client is evicted", "client", sess.ID, "bytes", sess.Counted)
		s.Clients.Evicted++
		s.HangUp(sess, nil)
	}
	if s.Clients.sum >= int64(limit) {
		s.Log.Warn("redmoon: clients take more than maxmemory-clients", "bytes", s.Clients.sum)
	}
}

// LookAfterClients closes connections that are idle for too long, or for which too much has been
// waiting for too long, and evicts clients. It reports whether it is to be called again.
func (s *Server) LookAfterClients() (again bool) {
	again = s.hangUpIdle()
	again = s.hangUpSlow() || again
	if s.BoundsClients() {
		s.accountAll()
		s.evictClients(nil)
		again = true
	}
	return again
}

// WantsLook reports whether the configuration makes LookAfterClients be called from time to time.
func (s *Server) WantsLook() bool {
	return s.Config.ConnLimits().IdleTimeout > 0 || s.Config.NormalLimit.Soft > 0 || s.BoundsClients()
}

// hangUpSlow closes the connections for which more is waiting than client-output-buffer-limit
// allows. It reports whether there may be some later.
func (s *Server) hangUpSlow() (again bool) {
	again = s.Config.NormalLimit.Soft > 0
	for _, sess := range s.Sessions {
		if sess.CloseAfter || !again && sess.slowSince == 0 {
			continue
		}
		u := sess.use()
		_, _, waiting := inBlocks(u.Waiting)
		if !sess.remote() {
			waiting = u.Waiting
		}
		if s.tooMuch(sess, waiting) {
			s.dropSlow(sess, waiting)
		}
	}
	for _, sess := range s.Sessions {
		again = again || sess.slowSince != 0 && !sess.CloseAfter
	}
	return again
}

// dropSlow ends a session that does not take what it is sent. What it was subscribed to is
// forgotten when the running request ends.
func (s *Server) dropSlow(sess *Session, waiting int64) {
	s.Log.Warn("redmoon: a client does not read what it is sent", "client", sess.ID, "bytes", waiting)
	sess.end(TooSlow)
	s.overflowed = append(s.overflowed, sess)
	s.pendingWork = true
}

// HasPendingWork reports whether EndRequest has something to do.
func (s *Server) HasPendingWork() bool { return s.pendingWork }

// EndRequest does what is to be done about clients after a request, that of sess, if it is one.
func (s *Server) EndRequest(sess *Session) {
	for len(s.overflowed) > 0 {
		list := s.overflowed
		s.overflowed = nil
		for _, sess := range list {
			s.CloseSession(sess)
		}
	}
	if s.BoundsClients() {
		if sess != nil && sess.shared {
			sess = nil
		}
		s.evictClients(sess)
	}
	s.pendingWork = s.BoundsClients()
}
