package server

import (
	"maps"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// tracking is the state of CLIENT TRACKING of all sessions: which session has read which key since
// it last changed, and which sessions follow a prefix (BCAST).
type tracking struct {
	active   bool // changes must be reported, or remembered keys dropped
	clients  int  // number of sessions that track
	table    readTable
	prefixes []*prefixGroup // by prefix
	toSend   bool           // a prefixGroup has unreported keys
	pending  []staleKey     // of the session whose command runs; sent after its reply
	ending   *Session       // pending is being sent to it; what it receives now follows its reply
	overfull int            // how many times in a row the table was still too large after limitTracking
}

// staleKey is an invalidation to send: of one key, or of all keys.
type staleKey struct {
	key string
	all bool
}

// Tracker is what CLIENT TRACKING has set up for one session.
type Tracker struct {
	On            bool
	Broadcast     bool // BCAST
	OptIn, OptOut bool
	NoLoop        bool
	Caching       bool  // CLIENT CACHING was sent for the next command
	Broken        bool  // the session that Redirect names has ended
	Redirect      int64 // ID of the session that gets the invalidations; 0: none. Kept when tracking is turned off, as in Redis.
	Prefixes      []string
}

// flags returns the tracking flags of CLIENT LIST.
func (t *Tracker) flags() (f string) {
	if t == nil || !t.On {
		return ""
	}
	f = "t"
	if t.Broken {
		f += "R"
	}
	if t.Broadcast {
		f += "B"
	}
	return f
}

// Redirection returns the ID of the session that gets the invalidations, 0 for none, -1 if tracking
// is off.
func (t *Tracker) Redirection() int64 {
	if t == nil || !t.On {
		return -1
	}
	return t.Redirect
}

// EndTracking turns tracking off. The keys that the session has read are kept: if it turns tracking
// on again, it is notified of their changes.
func (s *Server) EndTracking(sess *Session) {
	t := sess.Track
	if t == nil || !t.On {
		return
	}
	for _, prefix := range t.Prefixes {
		s.tracking.leave(prefix, sess)
	}
	*t = Tracker{Redirect: t.Redirect}
	s.tracking.clients--
	s.UpdateObserved()
}

// current returns the session whose command runs, or nil.
func (g *gate) current() *Session {
	if g.level == 0 {
		return nil
	}
	return g.levels[0].Session
}

// rememberRead records that a session has read the keys of a command. The reads of a script count
// as reads of its declared keys; with [servers.ScriptReadsTracked] they count as they are.
func (s *Server) rememberRead(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) {
	if door.FromScript() {
		script := s.Run.Command
		sess = script.Session
		if !s.Follows.Has(servers.ScriptReadsTracked) {
			spec, args = script.Spec, script.Args
		}
	} else if spec.Categories()&cmdtable.CatScripting != 0 {
		return
	}
	t := sess.Track
	if t == nil || !t.On || t.Broadcast || t.OptIn && !t.Caching || t.OptOut && t.Caching {
		return
	}
	for _, key := range spec.FindKeys(args) {
		s.tracking.table.remember(args[key.Pos], sess.ID)
	}
	s.trimSoon()
}

// invalidate notifies the sessions that have cached the changed key.
func (s *Server) invalidate(ch *datastore.Change) {
	if len(s.tracking.prefixes) > 0 {
		s.noteChanged(ch.Key, s.author(ch))
	}
	s.invalidateKey(ch.Key, s.current(), true)
	s.tracking.active = s.tracking.clients > 0 || s.tracking.table.len() > 0
}

// author returns the session that has changed a key. It is nil for expiry, eviction and scripts:
// NOLOOP with BCAST does not suppress the changes of scripts.
func (s *Server) author(ch *datastore.Change) *Session {
	if s.level == 0 || s.Undo.reporting || ch.Class&(datastore.ClassExpired|datastore.ClassEvicted) != 0 {
		return nil
	}
	c := s.levels[s.level-1]
	if c.Door.FromScript() {
		return nil
	}
	return c.Session
}

// invalidateKey notifies the sessions that have read a key that it has changed. Each is notified
// once. current is the session whose command causes it, or nil. If later is set, that session is
// notified after its reply.
func (s *Server) invalidateKey(key string, current *Session, later bool) {
	readers := s.tracking.table.take(key)
	if s.Undo.running != nil && len(readers) > 0 {
		s.onUndo(func() {
			for _, id := range readers {
				s.tracking.table.remember(key, id)
			}
		})
	}
	for _, id := range readers {
		sess := s.Clients.ByID[id]
		switch {
		case sess == nil, !sess.Track.On, sess.Track.Broadcast:
		case sess == current && sess.Track.NoLoop:
		case sess == current && later:
			s.tracking.pending = append(s.tracking.pending, staleKey{key: key})
		default:
			s.sendStale(sess, reply.Array(reply.Bulk(key)))
		}
	}
}

// InvalidateAll notifies all tracking sessions that all keys of all databases have changed.
func (s *Server) InvalidateAll() {
	if s.Undo.rerun != nil {
		s.Undo.rerun.effects = append(s.Undo.rerun.effects, effect{call: s.InvalidateAll})
		return
	}
	if before := s.tracking.table; s.Undo.running != nil && before.len() > 0 {
		s.onUndo(func() { s.tracking.table = before })
	}
	if s.tracking.clients == 0 {
		s.tracking.table.clear()
		return
	}
	current := s.current()
	for _, id := range slices.Sorted(maps.Keys(s.Clients.ByID)) {
		switch sess := s.Clients.ByID[id]; {
		case sess.Track == nil || !sess.Track.On:
		case sess == current:
			s.tracking.pending = append(s.tracking.pending, staleKey{all: true})
		default:
			s.sendStale(sess, reply.NilOf(sess.Proto))
		}
	}
	s.tracking.table.clear()
}

// sendStale sends an invalidation to a session, or to the session that Redirect names. A RESP2
// client receives it only while subscribed, and only by redirection; a session in process always
// receives it.
func (s *Server) sendStale(sess *Session, what reply.Value) {
	to, redirect := sess, sess.Track.Redirect
	if redirect != 0 {
		if to = s.Clients.ByID[redirect]; to == nil || to.CloseAfter {
			if t := sess.Track; !t.Broken {
				t.Broken = true
				s.onUndo(func() { t.Broken = false })
			}
			if sess.Proto > 2 || sess.SeparatePushes {
				s.sendInvalidation(sess, reply.Push(reply.Bulk("tracking-redir-broken"), reply.Int(redirect)))
			}
			return
		}
	}
	switch {
	case to.Proto > 2 || to.SeparatePushes:
		s.sendInvalidation(to, reply.Push(reply.Bulk("invalidate"), what))
	case redirect != 0 && to.subscribed > 0:
		s.sendInvalidation(to, reply.Push(reply.Bulk("message"), reply.Bulk("__redis__:invalidate"), what))
	}
}

// sendInvalidation sends v. If the command of the session has ended, v follows the reply.
func (s *Server) sendInvalidation(to *Session, v reply.Value) {
	if to != s.tracking.ending || to.SeparatePushes {
		s.push(to, v)
	} else if to.Receive != nil && s.Follows.Has(servers.RepliesFirst) {
		s.pushOwn(to, v)
	} else if to.Receive != nil {
		to.AfterReply = append(to.AfterReply, v)
	}
}

// endTracked ends a command of a session that has used tracking. It sends the invalidations of the
// session's own command, and resets CLIENT CACHING after the command or transaction for which it
// was sent. Other subcommands of CLIENT do not reset it.
func (s *Server) endTracked(sess *Session, spec *cmdtable.Spec) {
	if len(s.tracking.pending) > 0 {
		s.sendPending(sess)
	}
	if sess.Track.Caching && !sess.Queueing && (spec == nil || spec.Parent == nil || spec.Parent.Name != "client") {
		sess.Track.Caching = false
	}
}

// sendPending puts the invalidations of a session's own command behind the reply.
func (s *Server) sendPending(sess *Session) {
	pending := s.tracking.pending
	s.tracking.pending, s.tracking.ending = nil, sess
	for _, p := range pending {
		what := reply.Array(reply.Bulk(p.key))
		if p.all {
			what = reply.NilOf(sess.Proto)
		}
		s.sendStale(sess, what)
	}
	s.tracking.ending = nil
}

// ReportTracked sends all invalidations that are due before the reply to the running command of
// sess.
func (s *Server) ReportTracked(sess *Session) {
	if sess.Track != nil {
		s.sendPending(sess)
	}
	if s.tracking.toSend {
		s.broadcast()
	}
	sess.OwnPushes, sess.AfterAll = append(sess.OwnPushes, sess.AfterAll...), nil
}

// limitTracking drops random keys until tracking-table-max-keys is respected, and notifies their
// readers. current is the session whose command is about to run, or nil. The number of keys per
// call is limited, and grows while one call is not enough.
func (s *Server) limitTracking(current *Session) {
	t := &s.tracking
	for n := 100 * (t.overfull + 1); n > 0 && s.overfull(); n-- {
		s.invalidateKey(t.table.list[s.Store.Rand().IntN(t.table.len())].key, current, false)
	}
	if s.overfull() {
		t.overfull++
	} else {
		t.overfull = 0
	}
}

// trimSoon schedules TrimTracked if there are too many tracked keys.
func (s *Server) trimSoon() {
	if s.tracking.clients > 0 && s.overfull() {
		s.Owner.TrimSoon()
	}
}

// TrimTracked calls limitTracking between commands, as Redis does hz times a second. It reports
// whether it must be called again.
func (s Control) TrimTracked() (again bool) {
	if s.tracking.clients > 0 {
		s.limitTracking(nil)
	}
	return s.tracking.clients > 0 && s.overfull()
}

// overfull reports whether there are more tracked keys than tracking-table-max-keys.
func (s *Server) overfull() bool {
	return s.Config.MaxTrackedKeys != 0 && int64(s.tracking.table.len()) > s.Config.MaxTrackedKeys
}

// HasInvalidations reports whether Broadcast has keys to report.
func (s Control) HasInvalidations() bool { return s.tracking.toSend }

// Broadcast notifies the sessions with BCAST of the keys that have changed since the last call. It
// is called when all commands of one request have run; Redis does this before it waits for events.
func (s Control) Broadcast() { s.broadcast() }

func (s *Server) broadcast() {
	s.tracking.toSend = false
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
			if !sess.Track.NoLoop {
				s.sendStale(sess, all)
			} else if others := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return g.changed[key] == sess }); len(others) > 0 {
				s.sendStale(sess, reply.Bulks(others...))
			}
		}
		g.changed = nil
	}
}

// Conflict returns why the options cannot be used together or after the present options now (nil:
// none), or "".
func (t *Tracker) Conflict(now *Tracker) string {
	if now == nil {
		now = &Tracker{}
	}
	switch {
	case !t.Broadcast && len(t.Prefixes) > 0:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case now.On && now.Broadcast != t.Broadcast:
		return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode."
	case t.Broadcast && (t.OptIn || t.OptOut):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case t.OptIn && t.OptOut:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case t.OptIn && now.OptOut, t.OptOut && now.OptIn:
		return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode."
	}
	return t.overlap(now.Prefixes)
}

// overlap returns the error for a prefix that overlaps another one or one of present, or "".
func (t *Tracker) overlap(present []string) string {
	for i, prefix := range t.Prefixes {
		for _, other := range present {
			if overlap(prefix, other) {
				return errOverlap(prefix, "an existing prefix", other)
			}
		}
		for _, other := range t.Prefixes[i+1:] {
			if overlap(prefix, other) {
				return errOverlap(prefix, "another provided prefix", other)
			}
		}
	}
	return ""
}

func overlap(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}

func errOverlap(prefix, with, other string) string {
	return errtext.OneLine("ERR Prefix '" + errtext.Cut(prefix, len(prefix)) + "' overlaps with " + with + " '" +
		errtext.Cut(other, len(other)) +
		"'. Prefixes for a single client must not overlap.")
}

// BeginTracking puts the options want into force. They must not conflict with the present ones.
func (s *Server) BeginTracking(sess *Session, want Tracker) {
	if sess.Track == nil {
		sess.Track = &Tracker{}
	}
	t := sess.Track
	if !t.On {
		s.tracking.clients++
		s.tracking.active = true
	}
	prefixes := want.Prefixes
	if want.Broadcast && len(prefixes) == 0 {
		prefixes = []string{""}
	}
	want.On, want.Caching, want.Prefixes = true, t.Caching, t.Prefixes
	*t = want
	for _, prefix := range prefixes {
		s.tracking.join(prefix, sess)
	}
	s.UpdateObserved()
}
