package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rerun is a run of a script that can be undone and repeated. Its effects on other sessions
// (messages, invalidated keys, served waiters) are held back until it ends, and only those of the
// last run are delivered.
type Rerun struct {
	s       *Server
	store   *datastore.Rerun
	sess    *Session
	slot    int
	pending int // effects of earlier commands that are not handed over
	effects []effect
	stale   map[*Session]struct{} // sessions whose watched keys had changed before
	dead    map[*Watcher]struct{} // watchers whose key was dead before
	once    []onceCall
}

// onceCall is a command with effects outside of the server that cannot be undone.
type onceCall struct {
	args   []string
	result any
	used   bool // by this run of the script
}

// effect is something that is delivered when a Rerun ends: a change, a message, or a call.
type effect struct {
	change *datastore.Change
	to     *Session
	v      reply.Value
	call   func()
}

// BeginRerun begins a Rerun for the script of the command of c. Caller must call [Rerun.End].
func (s Control) BeginRerun(c *Ctx) *Rerun {
	r := &Rerun{s: s.base, sess: c.Session, slot: c.Session.slot, pending: len(s.effects.pending)}
	r.store = s.Store.BeginRerun(func(ch *datastore.Change) {
		kept := *ch
		r.effects = append(r.effects, effect{change: &kept})
	})
	s.Undo.rerun = r
	r.keepStale()
	return r
}

func (r *Rerun) keepStale() {
	r.stale, r.dead = map[*Session]struct{}{}, map[*Watcher]struct{}{}
	for _, list := range r.s.Clients.watched {
		for _, w := range list {
			if w.Sess.WatchBroken {
				r.stale[w.Sess] = struct{}{}
			}
			if w.Dead {
				r.dead[w] = struct{}{}
			}
		}
	}
}

// Undo undoes the effects of the script. The next StartScript begins the script again.
func (r *Rerun) Undo() {
	r.store.Undo()
	r.s.effects.pending = r.s.effects.pending[:min(r.pending, len(r.s.effects.pending))]
	r.sess.slot = r.slot
	for i := range r.once {
		r.once[i].used = false
	}
	clear(r.effects)
	r.effects = r.effects[:0]
	for _, list := range r.s.Clients.watched {
		for _, w := range list {
			_, w.Sess.WatchBroken = r.stale[w.Sess]
			_, w.Dead = r.dead[w]
		}
	}
}

// End ends the Rerun and delivers the effects on other sessions.
func (r *Rerun) End() {
	r.store.End()
	r.s.Undo.rerun, r.s.Undo.reporting = nil, true
	defer func() { r.s.Undo.reporting = false }()
	for _, t := range r.effects {
		switch {
		case t.change != nil:
			r.s.Store.Notify(*t.change)
		case t.call != nil:
			t.call()
		default:
			r.s.push(t.to, t.v)
		}
	}
}

// Changes calls f for each change since the script began, starting at index from. It returns the
// index for the next call.
func (r *Rerun) Changes(from int, f func(*datastore.Change)) (next int) {
	for _, t := range r.effects[from:] {
		if t.change != nil {
			f(t.change)
		}
	}
	return len(r.effects)
}

// Once runs f, which has effects outside of the server, and returns its result. In a script that is
// rerun, the same command takes the result of the run before, and f does not run again.
func (u *undoing) Once(args []string, f func() any) any {
	r := u.rerun
	if r == nil {
		return f()
	}
	for i := range r.once {
		if o := &r.once[i]; !o.used && slices.Equal(o.args, args) {
			o.used = true
			return o.result
		}
	}
	result := f()
	r.once = append(r.once, onceCall{args: slices.Clone(args), result: result, used: true})
	return result
}
