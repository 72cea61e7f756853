package command

import "github.com/redmoon-lua/redmoon/datastore"

// touchWatched marks the sessions that watch a key which has changed.
func (s *Server) touchWatched(ch *datastore.Change) {
	for _, w := range s.watched[watchKey{ch.DB, ch.Key}] {
		if w.dead {
			if there, _ := ch.DB.Has(ch.Key); there {
				return // replaced without being removed (RESTORE): Redis marks neither this session nor the following ones
			}
			w.dead = false
			continue
		}
		w.sess.stale = true
	}
}

// touchAll marks the sessions that watch a key of db when the contents of next replace those of db.
// nil stands for no contents. A watched key has changed if it exists before or after. An expired
// key counts as missing.
func (s *Server) touchAll(db, next *datastore.DB) {
	for k, list := range s.watched {
		if k.db != db {
			continue
		}
		now, _ := db.Has(k.key)
		later, dead := false, false
		if next != nil {
			later, dead = next.Has(k.key)
		}
		if !now && !later {
			continue
		}
		for _, w := range list {
			switch {
			case w.dead && !later:
				w.dead = false
			case w.dead && dead:
			case !w.dead && !now && dead:
				w.dead = true
			default:
				w.sess.stale = true
			}
		}
	}
}
