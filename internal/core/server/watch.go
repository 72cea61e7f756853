package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
)

// touchWatched marks the sessions that watch a key which has changed.
func (s *Server) touchWatched(ch *datastore.Change) {
	for _, w := range s.Clients.watched[WatchKey{ch.DB, ch.Key}] {
		if w.Dead {
			if there, _ := ch.DB.Has(ch.Key); there {
				return // replaced without being removed (RESTORE): Redis marks neither this session nor the following ones
			}
			s.setDead(w, false)
			continue
		}
		s.breakWatch(w.Sess)
	}
}

// breakWatch makes the next EXEC of a session fail.
func (s *Server) breakWatch(sess *Session) {
	if !sess.WatchBroken {
		sess.WatchBroken = true
		s.onUndo(func() { sess.WatchBroken = false })
	}
}

func (s *Server) setDead(w *Watcher, dead bool) {
	was := w.Dead
	w.Dead = dead
	s.onUndo(func() { w.Dead = was })
}

// TouchAllWatchedKeys marks the sessions that watch a key of db when the contents of next replace
// those of db. nil stands for no contents. A watched key has changed if it exists before or after.
// An expired key counts as missing.
func (s *Server) TouchAllWatchedKeys(db, next *datastore.DB) {
	for k, list := range s.Clients.watched {
		if k.DB != db {
			continue
		}
		now, _ := db.Has(k.Key)
		later, dead := false, false
		if next != nil {
			later, dead = next.Has(k.Key)
		}
		if !now && !later {
			continue
		}
		for _, w := range list {
			switch {
			case w.Dead && !later:
				s.setDead(w, false)
			case w.Dead && dead:
			case !w.Dead && !now && dead:
				s.setDead(w, true)
			default:
				s.breakWatch(w.Sess)
			}
		}
	}
}
