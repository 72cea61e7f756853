package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rerun is the running of a script that may be undone and done again. What the script does to
// others (messages, keys that they watch or have cached, keys that they wait for) reaches them when
// it ends, and only that of the last run.
type Rerun struct {
	s     *Server
	store *datastore.Rerun
	sess  *Session
	slot  int
	told  []reporting
	stale map[*Session]struct{} // the sessions whose watched keys had changed before
	dead  map[*Watcher]struct{} // those whose key was dead before
}

// reporting is what somebody is to be told when a Rerun ends: of a change, by a message, or by a
// call.
type reporting struct {
	change *datastore.Change
	to     *Session
	v      reply.Value
	call   func()
}

// BeginRerun begins a Rerun for the script that the command of c runs. [Rerun.End] must follow.
func (s *Server) BeginRerun(c *Ctx) *Rerun {
	r := &Rerun{s: s, sess: c.Session, slot: c.Session.slot}
	r.store = s.Store.BeginRerun(func(ch *datastore.Change) {
		kept := *ch
		r.told = append(r.told, reporting{change: &kept})
	})
	s.rerun = r
	r.keepStale()
	return r
}

func (r *Rerun) keepStale() {
	r.stale, r.dead = map[*Session]struct{}{}, map[*Watcher]struct{}{}
	for _, list := range r.s.Watched {
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

// Undo undoes what the script has done. The next StartScript begins the script anew.
func (r *Rerun) Undo() {
	r.store.Undo()
	r.sess.slot = r.slot
	clear(r.told)
	r.told = r.told[:0]
	for _, list := range r.s.Watched {
		for _, w := range list {
			_, w.Sess.WatchBroken = r.stale[w.Sess]
			_, w.Dead = r.dead[w]
		}
	}
}

// End ends the Rerun, and tells others what they are to be told.
func (r *Rerun) End() {
	r.store.End()
	r.s.rerun, r.s.reporting = nil, true
	defer func() { r.s.reporting = false }()
	for _, t := range r.told {
		switch {
		case t.change != nil:
			r.s.Store.Tell(*t.change)
		case t.call != nil:
			t.call()
		default:
			r.s.push(t.to, t.v)
		}
	}
}

// Changes calls f for each change of the feed since the script began, with the index of each from
// which it is to go on.
func (r *Rerun) Changes(from int, f func(*datastore.Change)) (next int) {
	for _, t := range r.told[from:] {
		if t.change != nil {
			f(t.change)
		}
	}
	return len(r.told)
}
