package command

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// With maxmemory-clients the server keeps the sum of what all clients take: a client is counted anew when it comes with a command,
// when it is sent something, when its connection says that it holds more, and each second. When the sum reaches the limit, clients
// are disconnected, the largest first.

// clientConfig is maxmemory-clients.
type clientConfig struct {
	limit uint64 // bytes, or
	share uint64 // percent of maxmemory
}

func (m *clientConfig) set(value string) {
	digits, percent := strings.CutSuffix(value, "%")
	n, _ := strconv.ParseUint(digits, 10, 64) // has been checked
	*m = clientConfig{limit: n}
	if percent {
		*m = clientConfig{share: n}
	}
}

// clientSums is what the server knows of the memory of its clients while that is limited.
type clientSums struct {
	sum     int64 // of Session.counted
	moves   int64 // how often a client has come into another class of size
	evicted int64
}

// leastClientLimit is the lowest limit that has an effect: with less, nobody could talk to the server.
const leastClientLimit = 128 << 10

// Clients are evicted by classes of size: all in the first have less than 32 KiB, each further class begins at twice the size of the
// one before.
const (
	smallestClass = 15 // 1<<15 bytes
	sizeClasses   = 19
)

func sizeClass(bytes int64) int {
	return min(max(bits.Len64(uint64(bytes))-smallestClass, 0), sizeClasses-1)
}

// boundsClients reports whether maxmemory-clients is set.
func (s *Server) boundsClients() bool { return s.Config.clients != clientConfig{} }

// clientLimit is the limit in bytes; 0: there is none.
func (s *Server) clientLimit() uint64 {
	limit := s.Config.clients.limit
	if share := s.Config.clients.share; share > 0 {
		limit = s.Config.memory.limit / 100 * share
	}
	if limit == 0 {
		return 0
	}
	return max(limit, leastClientLimit)
}

// remote reports whether the session is one of a connection. Sessions in process are the program's own: they are not evicted.
func (sess *Session) remote() bool { return sess.Addr != "" }

func (sess *Session) evictable() bool { return sess.remote() && !sess.NoEvict && !sess.gone }

// account counts what a session takes.
func (s *Server) account(sess *Session) {
	if !sess.remote() || sess.gone {
		return
	}
	u := sess.use()
	n := s.memoryOf(sess, &u)
	if sess.moved == 0 || sizeClass(n) != sizeClass(sess.counted) {
		s.clients.moves++
		sess.moved = s.clients.moves
	}
	s.clients.sum += n - sess.counted
	sess.counted = n
}

// discount forgets what a session that ends took.
func (s *Server) discount(sess *Session) {
	s.clients.sum -= sess.counted
	sess.counted = 0
}

// accountAll counts all sessions.
func (s *Server) accountAll() {
	for _, sess := range s.sessions {
		s.account(sess)
	}
}

// evictClients disconnects clients while they take as much as maxmemory-clients says or more, after it has counted sess.
func (s *Server) evictClients(sess *Session) {
	if sess != nil {
		s.account(sess)
	}
	limit := s.clientLimit()
	if limit == 0 || s.clients.sum < int64(min(limit, 1<<62)) {
		return
	}
	var list []*Session
	for _, sess := range s.sessions {
		if sess.evictable() {
			list = append(list, sess)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(sizeClass(b.counted), sizeClass(a.counted)), cmp.Compare(a.moved, b.moved), cmp.Compare(a.ID, b.ID))
	})
	for _, sess := range list {
		if s.clients.sum < int64(limit) {
			return
		}
		s.Log.Info("redmoon: a client is evicted", "client", sess.ID, "bytes", sess.counted)
		s.clients.evicted++
		s.hangUp(sess, nil)
	}
	if s.clients.sum >= int64(limit) {
		s.Log.Warn("redmoon: clients take more than maxmemory-clients", "bytes", s.clients.sum)
	}
}

// LookAfterClients closes connections that are idle for too long, or for which too much has been waiting for too long, and evicts clients.
// It reports whether it is to be called again.
func (s *Server) LookAfterClients() (again bool) {
	again = s.hangUpIdle()
	again = s.hangUpSlow() || again
	if s.boundsClients() {
		s.accountAll()
		s.evictClients(nil)
		again = true
	}
	return again
}

// WantsLook reports whether the configuration makes LookAfterClients be called from time to time.
func (s *Server) WantsLook() bool {
	return s.Config.ConnLimits().IdleTimeout > 0 || s.Config.normalLimit.soft > 0 || s.boundsClients()
}

// hangUpSlow closes the connections for which more is waiting than client-output-buffer-limit allows. It reports whether there may be some
// later.
func (s *Server) hangUpSlow() (again bool) {
	again = s.Config.normalLimit.soft > 0
	for _, sess := range s.sessions {
		if sess.CloseAfter || !again && sess.slowSince == 0 {
			continue
		}
		u := sess.use()
		_, _, waiting := inBlocks(u.Waiting)
		if !sess.remote() {
			waiting = u.Waiting
		}
		if s.tooMuch(sess, waiting) {
			s.cutOff(sess, waiting)
		}
	}
	for _, sess := range s.sessions {
		again = again || sess.slowSince != 0 && !sess.CloseAfter
	}
	return again
}

// cutOff ends a session that does not take what it is sent. What it was subscribed to is forgotten when the running request ends.
func (s *Server) cutOff(sess *Session, waiting int64) {
	s.Log.Warn("redmoon: a client does not read what it is sent", "client", sess.ID, "bytes", waiting)
	sess.end(TooSlow)
	s.cut = append(s.cut, sess)
	s.chores = true
}

// HasChores reports whether EndRequest has something to do.
func (s *Server) HasChores() bool { return s.chores }

// EndRequest does what is to be done about clients after a request, that of sess, if it is one.
func (s *Server) EndRequest(sess *Session) {
	for len(s.cut) > 0 {
		list := s.cut
		s.cut = nil
		for _, sess := range list {
			s.CloseSession(sess)
		}
	}
	if s.boundsClients() {
		if sess != nil && sess.shared {
			sess = nil
		}
		s.evictClients(sess)
	}
	s.chores = s.boundsClients()
}
