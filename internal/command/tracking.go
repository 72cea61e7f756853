package command

import (
	"maps"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// tracking is CLIENT TRACKING of all sessions: who has read which key since it last changed, and who is told of all keys
// with a prefix (BCAST).
type tracking struct {
	active   bool // the feed has somebody to tell, or something to forget
	clients  int  // sessions that track
	table    readTable
	prefixes []*prefixGroup // by prefix
	news     bool           // a prefixGroup has keys of which it has not told
	pending  []staleKey     // of the session whose command runs, to be told behind its reply
	ending   *Session       // it is being told of pending: what it is sent travels behind its reply
	overfull int            // how many times in a row the table was too large also after it had been shortened
}

// staleKey is what a session is to be told: a key that has changed, or that all have.
type staleKey struct {
	key string
	all bool
}

// tracker is what CLIENT TRACKING has set up for one session.
type tracker struct {
	on            bool
	broadcast     bool // BCAST
	optIn, optOut bool
	noLoop        bool
	caching       bool  // CLIENT CACHING has said something about the next command
	broken        bool  // the session to tell instead is gone
	redirect      int64 // the session to tell instead; 0: none. It outlives on, as in Redis.
	prefixes      []string
}

// flags are those of CLIENT LIST.
func (t *tracker) flags() (f string) {
	if t == nil || !t.on {
		return ""
	}
	f = "t"
	if t.broken {
		f += "R"
	}
	if t.broadcast {
		f += "B"
	}
	return f
}

// redirection is the session that is told instead, 0 for none, -1 where nothing is tracked.
func (t *tracker) redirection() int64 {
	if t == nil || !t.on {
		return -1
	}
	return t.redirect
}

// endTracking turns tracking off. What is known about keys that the session has read stays: if it turns tracking on again it
// is told of them.
func (s *Server) endTracking(sess *Session) {
	t := sess.track
	if t == nil || !t.on {
		return
	}
	for _, prefix := range t.prefixes {
		s.tracking.leave(prefix, sess)
	}
	*t = tracker{redirect: t.redirect}
	s.tracking.clients--
	s.observe()
}

// current is the session whose command runs, or nil.
func (s *Server) current() *Session {
	if s.level == 0 {
		return nil
	}
	return s.levels[0].Session
}

// rememberRead notes that a session has read the keys of a command. What a script reads counts as reading the keys that were
// named for the script.
func (s *Server) rememberRead(sess *Session, door Door, spec *Spec, args []string) {
	if door.FromScript() {
		script := s.running.ctx
		sess, spec, args = script.Session, script.Spec, script.Args
	} else if spec.Categories()&CatScripting != 0 {
		return
	}
	t := sess.track
	if t == nil || !t.on || t.broadcast || t.optIn && !t.caching || t.optOut && t.caching {
		return
	}
	for _, key := range spec.FindKeys(args) {
		s.tracking.table.remember(args[key.Pos], sess.ID)
	}
	s.trimSoon()
}

// invalidate tells of a change those who have cached the key.
func (s *Server) invalidate(ch *datastore.Change) {
	if len(s.tracking.prefixes) > 0 {
		s.tracking.changed(ch.Key, s.author(ch))
	}
	s.invalidateKey(ch.Key, true)
	s.tracking.active = s.tracking.clients > 0 || s.tracking.table.len() > 0
}

// author is the session that has changed a key. Nobody has when its time has come, when it was evicted, or when a script has: NOLOOP with BCAST does
// not hold back the changes of scripts.
func (s *Server) author(ch *datastore.Change) *Session {
	if s.level == 0 || s.telling || ch.Class&(datastore.ClassExpired|datastore.ClassEvicted) != 0 {
		return nil
	}
	c := s.levels[s.level-1]
	if c.Door.FromScript() {
		return nil
	}
	return c.Session
}

// invalidateKey tells those who have read a key that it is not what it was. They are told once; the session whose command runs,
// where later is set, when it has got its reply.
func (s *Server) invalidateKey(key string, later bool) {
	current := s.current()
	for _, id := range s.tracking.table.take(key) {
		sess := s.sessions[id]
		switch {
		case sess == nil, !sess.track.on, sess.track.broadcast:
		case sess == current && sess.track.noLoop:
		case sess == current && later:
			s.tracking.pending = append(s.tracking.pending, staleKey{key: key})
		default:
			s.tellStale(sess, reply.Array(reply.Bulk(key)))
		}
	}
}

// invalidateAll tells all who cache that all keys are gone, whatever database they were in.
func (s *Server) invalidateAll() {
	if s.rerun != nil {
		s.rerun.told = append(s.rerun.told, telling{call: s.invalidateAll})
		return
	}
	if s.tracking.clients == 0 {
		s.tracking.table.clear()
		return
	}
	current := s.current()
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		switch sess := s.sessions[id]; {
		case sess.track == nil || !sess.track.on:
		case sess == current:
			s.tracking.pending = append(s.tracking.pending, staleKey{all: true})
		default:
			s.tellStale(sess, reply.NilOf(sess.Proto))
		}
	}
	s.tracking.table.clear()
}

// tellStale sends a session, or the one that is told instead of it, what it must not use any more. A client of RESP2 can be
// told only while it is subscribed, and only instead of another; a session in process always.
func (s *Server) tellStale(sess *Session, what reply.Value) {
	to, redirect := sess, sess.track.redirect
	if redirect != 0 {
		if to = s.sessions[redirect]; to == nil || to.CloseAfter {
			sess.track.broken = true
			if sess.Proto > 2 || sess.Apart {
				s.tell(sess, reply.Push(reply.Bulk("tracking-redir-broken"), reply.Int(redirect)))
			}
			return
		}
	}
	switch {
	case to.Proto > 2 || to.Apart:
		s.tell(to, reply.Push(reply.Bulk("invalidate"), what))
	case redirect != 0 && to.subscribed > 0:
		s.tell(to, reply.Push(reply.Bulk("message"), reply.Bulk("__redis__:invalidate"), what))
	}
}

// tell sends v: to a session whose command has ended, behind the reply.
func (s *Server) tell(to *Session, v reply.Value) {
	if to != s.tracking.ending || to.Apart {
		s.push(to, v)
	} else if to.Receive != nil {
		to.behind = append(to.behind, v)
	}
}

// endTracked ends a command of a session that has used tracking: it gets to know what its own command has changed, and CLIENT
// CACHING has been for this command, or for this transaction. Other commands of CLIENT do not count.
func (s *Server) endTracked(sess *Session, spec *Spec) {
	if len(s.tracking.pending) > 0 {
		s.tellPending(sess)
	}
	if sess.track.caching && !sess.inMulti && (spec == nil || spec.Parent == nil || spec.Parent.Name != "client") {
		sess.track.caching = false
	}
}

// tellPending puts behind the reply of a session's own command what that has made stale.
func (s *Server) tellPending(sess *Session) {
	pending := s.tracking.pending
	s.tracking.pending, s.tracking.ending = nil, sess
	for _, p := range pending {
		what := reply.Array(reply.Bulk(p.key))
		if p.all {
			what = reply.NilOf(sess.Proto)
		}
		s.tellStale(sess, what)
	}
	s.tracking.ending = nil
}

// limitTracking forgets keys at random until there are no more than tracking-table-max-keys, and tells their readers that they
// are stale. It tries so many at once, and more each time that this was not enough.
func (s *Server) limitTracking() {
	t := &s.tracking
	for n := 100 * (t.overfull + 1); n > 0 && s.overfull(); n-- {
		s.invalidateKey(t.table.list[s.Store.Rand().IntN(t.table.len())].key, false)
	}
	if s.overfull() {
		t.overfull++
	} else {
		t.overfull = 0
	}
}

// trimSoon schedules TrimTracked if there are too many tracked keys.
func (s *Server) trimSoon() {
	if s.TrimSoon != nil && s.tracking.clients > 0 && s.overfull() {
		s.TrimSoon()
	}
}

// TrimTracked calls limitTracking between commands, as Redis does hz times a second. It reports
// whether it must be called again.
func (s *Server) TrimTracked() (again bool) {
	if s.tracking.clients > 0 {
		s.limitTracking()
	}
	return s.tracking.clients > 0 && s.overfull()
}

// overfull reports whether there are more tracked keys than tracking-table-max-keys.
func (s *Server) overfull() bool {
	return s.Config.trackedKeys != 0 && int64(s.tracking.table.len()) > s.Config.trackedKeys
}

// HasNews reports whether Broadcast has something to tell.
func (s *Server) HasNews() bool { return s.tracking.news }

// Broadcast tells the sessions with BCAST which keys have changed since the last time. It is called when all that one request has
// brought is done, where Redis does it before it waits for the next.
func (s *Server) Broadcast() {
	s.tracking.news = false
	if s.tracking.clients == 0 {
		return
	}
	for _, g := range s.tracking.prefixes {
		if len(g.changed) == 0 {
			continue
		}
		keys := slices.Sorted(maps.Keys(g.changed))
		all := reply.Bulks(keys...)
		for _, sess := range g.sessions {
			if !sess.track.noLoop {
				s.tellStale(sess, all)
			} else if others := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return g.changed[key] == sess }); len(others) > 0 {
				s.tellStale(sess, reply.Bulks(others...))
			}
		}
		g.changed = nil
	}
}
