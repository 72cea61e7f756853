package server

import (
	"cmp"
	"math/bits"
	"slices"
)

// With maxmemory-clients the server keeps the sum of the memory of all clients. A client is
// measured again when it sends a command, when it is sent something, when its connection reports a
// change, and every second. When the sum reaches the limit, clients are disconnected, the largest
// first.

// leastClientLimit is the lowest limit that has an effect. A client could not send a command with
// less.
const leastClientLimit = 128 << 10

// Clients are evicted by size class. The first class holds all clients below 32 KiB; each further
// class begins at twice the size of the previous one.
const (
	SmallestClass = 15 // 1<<15 bytes
	SizeClasses   = 19
)

// SizeClass returns the index of the size class for so many bytes.
func SizeClass(bytes int64) int {
	return min(max(bits.Len64(uint64(bytes))-SmallestClass, 0), SizeClasses-1)
}

// remote reports whether the session belongs to a connection. Sessions in process belong to the
// program itself and are not evicted.
func (c *connection) remote() bool { return c.Addr != "" }

// Evictable reports whether maxmemory-clients may disconnect the session.
func (sess *Session) Evictable() bool {
	return sess.remote() && !sess.NoEvict && !sess.gone && sess.Peer == PeerClient
}

// Account measures a session and adds its memory to the sums.
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

// accountAll measures all sessions.
func (s *Server) accountAll() {
	for _, sess := range s.Clients.ByID {
		s.Account(sess)
	}
}

// evictClients measures sess, then disconnects clients until they take less than maxmemory-clients.
func (s *Server) evictClients(sess *Session) {
	if sess != nil {
		s.Account(sess)
	}
	limit := s.clientLimit()
	if limit == 0 || s.Clients.sum < int64(min(limit, 1<<62)) {
		return
	}
	var list []*Session
	for _, sess := range s.Clients.ByID {
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
		s.Log.Info("Evicting client: " + s.Describe(sess))
		s.Clients.Evicted++
		s.HangUp(sess, nil)
	}
	if s.Clients.sum >= int64(limit) {
		s.Log.Warn("Over client maxmemory after evicting all evictable clients")
	}
}

// CheckClients closes connections that are idle for too long or that leave too much output
// unread, and evicts clients. It reports whether it must be called again.
func (s Control) CheckClients() (again bool) {
	again = s.hangUpIdle()
	again = s.hangUpSlow() || again
	if s.LimitsClientMemory() {
		s.accountAll()
		s.evictClients(nil)
		again = true
	}
	return again
}

// hangUpSlow closes the connections whose unread output exceeds client-output-buffer-limit. It
// reports whether others may exceed it later.
func (s *Server) hangUpSlow() (again bool) {
	again = s.Config.NormalLimit.Soft > 0
	for _, sess := range s.Clients.ByID {
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
	for _, sess := range s.Clients.ByID {
		again = again || sess.slowSince != 0 && !sess.CloseAfter
	}
	return again
}

// dropSlow ends a session that does not read its output. Its subscriptions are removed when the
// running request ends.
func (s *Server) dropSlow(sess *Session, waiting int64) {
	s.Log.Warn("Client " + s.Describe(sess) + " scheduled to be closed ASAP for overcoming of output buffer limits.")
	sess.end(TooSlow)
	s.Stats.TooSlow++
	s.Clients.overflowed = append(s.Clients.overflowed, sess)
	s.Clients.pendingWork = true
}

// HasPendingWork reports whether EndRequest has something to do.
func (s Control) HasPendingWork() bool { return s.Clients.pendingWork }

// EndRequest does the pending work about clients after a request. sess is the session of the
// request, or nil.
func (s Control) EndRequest(sess *Session) {
	for len(s.Clients.overflowed) > 0 {
		list := s.Clients.overflowed
		s.Clients.overflowed = nil
		for _, sess := range list {
			s.closeSession(sess)
		}
	}
	if s.LimitsClientMemory() {
		if sess != nil && sess.shared {
			sess = nil
		}
		s.evictClients(sess)
	}
	s.Clients.pendingWork = s.LimitsClientMemory()
}
