package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// undo is a command of a client that is undone if it fails: a script, a function or an EXEC, with
// everything that it runs. The journal of the store holds its changes, and also how to undo what
// the change feed has caused (watched keys, tracked keys). Messages are held back until the command
// has succeeded, and so are its effects, as always.
type undo struct {
	sess     *Session // whose command it is
	outer    *undo    // what is undone together with it, or nil; see Trial
	trial    datastore.Trial
	messages []heldMessage
	own      []reply.Value // messages to sess that travel with its reply
	later    []func()      // run when it is certain that nothing is undone
	watchers []*Watcher    // that clients have added meanwhile
	failed   bool          // a command of the EXEC has failed

	// lengths of the server's lists before the command
	effects, arena, stale, ready int
	saved                        int64 // dataSet.saved before it
	active, toSend               bool  // of Server.tracking
}

// undoing is what may be undone of what runs.
type undoing struct {
	running   *undo  // the command that is undone if it fails; nil if a failure leaves what was done
	reused    undo   // of commands of clients
	rerun     *Rerun // of the running script; nil if it cannot be rerun
	reporting bool   // the changes of a script are being reported
}

// heldMessage is a message that is sent if the command succeeds.
type heldMessage struct {
	to *Session
	v  reply.Value
}

// undoes reports whether a command of a client is undone if it fails. Commands of a master are not:
// the master has decided whether they remain.
func (s *Server) undoes(sess *Session, spec *cmdtable.Spec) bool {
	return (spec.IsExec || spec.Runs != cmdtable.RunsNoScript) && !sess.MustObey
}

// callUndone is callTimed for a command that is undone if it fails.
func (s *Server) callUndone(sess *Session, spec *cmdtable.Spec, args []string, p Program) reply.Value {
	u := &s.Undo.reused
	s.beginUndo(u, sess)
	ended := false
	defer func() {
		if !ended { // a panic
			s.undoAll(u)
		}
	}()
	v := s.callTimed(sess, cmdtable.DoorClient, spec, args, p)
	ended = true
	if u.failed || v.IsError() {
		s.undoAll(u)
	} else {
		s.keepAll(u)
	}
	return v
}

// beginUndo begins u for a command of sess.
func (s *Server) beginUndo(u *undo, sess *Session) {
	*u = undo{
		sess: sess, outer: s.Undo.running, trial: s.Store.BeginTrial(),
		messages: u.messages[:0], own: u.own[:0], later: u.later[:0], watchers: u.watchers[:0],
		effects: len(s.effects.pending), arena: len(s.effects.arena), stale: len(s.tracking.pending), ready: len(s.readyQueues),
		saved: s.saved, active: s.tracking.active, toSend: s.tracking.toSend,
	}
	s.Undo.running = u
}

// undoAll ends u and leaves nothing of its command.
func (s *Server) undoAll(u *undo) {
	s.Undo.running = u.outer
	u.trial.Rollback()
	s.effects.cut(u.effects, u.arena)
	s.tracking.pending = s.tracking.pending[:min(u.stale, len(s.tracking.pending))]
	s.tracking.active, s.tracking.toSend = u.active || s.tracking.clients > 0, u.toSend
	for _, q := range s.readyQueues[u.ready:] {
		q.ready = false
	}
	clear(s.readyQueues[u.ready:])
	s.readyQueues = s.readyQueues[:u.ready]
	s.saved = u.saved
	for _, w := range u.watchers {
		_, w.Dead = w.DB.Has(w.Key)
	}
	u.clear()
}

// keepAll ends u and sends what was held back.
func (s *Server) keepAll(u *undo) {
	s.Undo.running = nil
	u.trial.Commit()
	for _, m := range u.messages {
		s.push(m.to, m.v)
	}
	s.pushOwn(u.sess, u.own...)
	for _, f := range u.later {
		f()
	}
	u.clear()
}

func (u *undo) clear() {
	clear(u.messages)
	clear(u.own)
	clear(u.later)
	clear(u.watchers)
	u.sess = nil
}

// hold holds a message back, if the running command may be undone.
func (u *undo) hold(to *Session, v reply.Value, own bool) (held bool) {
	switch {
	case u == nil:
		return false
	case own && to == u.sess:
		u.own = append(u.own, v)
	default:
		u.messages = append(u.messages, heldMessage{to, v})
	}
	return true
}

// CommandFailed notes that a command of the running EXEC has failed.
func (u *undoing) CommandFailed() {
	if u.running != nil {
		u.running.failed = true
	}
}

// TakeHeld returns the messages to the session of the running EXEC that are held back since the
// last call. They must be sent with the reply unless [undoing.Fails].
func (u *undoing) TakeHeld() []reply.Value {
	if u.running == nil || len(u.running.own) == 0 {
		return nil
	}
	held := slices.Clone(u.running.own)
	clear(u.running.own)
	u.running.own = u.running.own[:0]
	return held
}

// Fails reports whether the running EXEC will be undone.
func (u *undoing) Fails() bool { return u.running != nil && u.running.failed }

// WhenKept calls f, which has effects that cannot be undone, when it is certain that the running
// command is not undone.
func (u *undoing) WhenKept(f func()) {
	switch {
	case u.rerun != nil:
		u.rerun.effects = append(u.rerun.effects, effect{call: func() { u.WhenKept(f) }})
	case u.running != nil:
		u.running.later = append(u.running.later, f)
	default:
		f()
	}
}

// onUndo makes f run when the running command is undone.
func (s *Server) onUndo(f func()) {
	if s.Undo.running != nil {
		s.Store.OnRollback(f)
	}
}

// NoteWatcher must be called for each new watcher. A key may be watched while a script is busy that
// has changed it, and is then undone.
func (u *undoing) NoteWatcher(w *Watcher) {
	if u.running != nil {
		u.running.watchers = append(u.running.watchers, w)
	}
}
