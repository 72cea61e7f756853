package server

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Trial runs commands to see their replies. Everything is undone at the end: keys, watches, tracked
// keys, messages, effects. No client notices. A replay uses it to find out in which order commands
// have run; see [Control.Try].
type Trial struct {
	s     Control
	sess  *Session
	depth []*undo // one for each command that has run and is not undone
	spare []*undo
	dirty int64 // of the store before the last command
}

// Attempt is a command of a trial.
type Attempt struct {
	DB    int   // number of the database; one that does not exist is database 0
	Proto int   // protocol, 2 or 3: a few commands answer another value in RESP3
	Now   int64 // time in us since the epoch
	Args  []string
}

// Try calls f with a trial, on the loop. What cannot be undone is not allowed in it: f must run
// only commands that read or write keys, and scripts.
func (s Control) Try(f func(*Trial)) {
	t := &Trial{s: s, sess: &Session{rights: rights{Authenticated: true}, DB: s.Store.DB(0), Proto: 2}}
	now, monitors, resume := s.Store.NowMicros(), s.Monitors, s.Store.StopClock()
	s.Monitors = nil
	defer func() {
		for len(t.depth) > 0 {
			t.Back()
		}
		s.Monitors = monitors
		s.Store.SetNow(now)
		resume()
	}()
	f(t)
}

// Run runs a command as EXEC does: it does not wait. The reply of a panic is an error.
func (t *Trial) Run(a Attempt) (v reply.Value) {
	s := t.s
	u := &undo{}
	if n := len(t.spare); n > 0 {
		u, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	s.Store.SetNow(a.Now)
	t.sess.DB, t.sess.Proto = s.Store.DB(0), a.Proto
	if a.DB > 0 && a.DB < s.Store.Databases() {
		t.sess.DB = s.Store.DB(a.DB)
	}
	s.beginUndo(u, t.sess)
	t.depth = append(t.depth, u)
	defer func() {
		if p := recover(); p != nil {
			v = s.Owner.Panicked(p, a.Args[0])
			if w := s.TakeBlocked(); w != nil {
				s.cancel(w)
			}
		}
	}()
	s.level, t.dirty = 0, s.Store.Dirty()
	return s.Execute(t.sess, cmdtable.DoorExec, a.Args)
}

// Changed reports whether the last command has changed the keyspace.
func (t *Trial) Changed() bool { return t.s.Store.Dirty() != t.dirty }

// Back undoes the last command that is not undone.
func (t *Trial) Back() {
	last := len(t.depth) - 1
	u := t.depth[last]
	t.depth = t.depth[:last]
	t.s.undoAll(u)
	t.spare = append(t.spare, u)
}

// WatchBroken reports whether the next EXEC of a session fails because of a watched key.
func (s Control) WatchBroken(sess *Session) bool {
	for _, w := range sess.Watching {
		if _, dead := w.DB.Has(w.Key); dead && !w.Dead {
			return true
		}
	}
	return sess.WatchBroken
}
