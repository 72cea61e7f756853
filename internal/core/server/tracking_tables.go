package server

import (
	"cmp"
	"slices"
)

// readTable remembers which sessions have read a key since it last changed.
type readTable struct {
	byKey map[string]*readKey
	list  []*readKey // all keys, for a random choice
	items int        // number of pairs of key and session
}

type readKey struct {
	key   string
	place int     // index in list
	ids   []int64 // IDs of sessions, sorted
}

func (t *readTable) len() int { return len(t.list) }

func (t *readTable) clear() { *t = readTable{} }

func (t *readTable) remember(key string, id int64) {
	k := t.byKey[key]
	if k == nil {
		if t.byKey == nil {
			t.byKey = map[string]*readKey{}
		}
		k = &readKey{key: key, place: len(t.list)}
		t.byKey[key] = k
		t.list = append(t.list, k)
	}
	if i, there := slices.BinarySearch(k.ids, id); !there {
		k.ids = slices.Insert(k.ids, i, id)
		t.items++
	}
}

// take removes a key and returns the sessions that had read it.
func (t *readTable) take(key string) []int64 {
	k := t.byKey[key]
	if k == nil {
		return nil
	}
	last := len(t.list) - 1
	t.list[k.place] = t.list[last]
	t.list[k.place].place = k.place
	t.list[last] = nil
	t.list = t.list[:last]
	delete(t.byKey, key)
	t.items -= len(k.ids)
	return k.ids
}

// prefixGroup is the set of sessions that follow all keys with one prefix.
type prefixGroup struct {
	prefix   string
	sessions []*Session
	changed  map[string]*Session // unreported keys, each with the session that changed it last, or nil
}

func (t *tracking) find(prefix string) (int, bool) {
	return slices.BinarySearchFunc(t.prefixes, prefix, func(g *prefixGroup, prefix string) int { return cmp.Compare(g.prefix, prefix) })
}

// join adds a session to the group of a prefix. It does nothing if it is a member already.
func (t *tracking) join(prefix string, sess *Session) {
	i, there := t.find(prefix)
	if !there {
		t.prefixes = slices.Insert(t.prefixes, i, &prefixGroup{prefix: prefix})
	}
	mine := sess.Track
	if at, has := slices.BinarySearch(mine.Prefixes, prefix); !has {
		mine.Prefixes = slices.Insert(mine.Prefixes, at, prefix)
		t.prefixes[i].sessions = append(t.prefixes[i].sessions, sess)
	}
}

func (t *tracking) leave(prefix string, sess *Session) {
	i, _ := t.find(prefix)
	g := t.prefixes[i]
	if g.sessions = without(g.sessions, sess); len(g.sessions) == 0 {
		t.prefixes = slices.Delete(t.prefixes, i, i+1)
	}
}

// noteChanged adds a key, changed by author, to the groups whose prefix it has.
func (s *Server) noteChanged(key string, author *Session) {
	t := &s.tracking
	for _, g := range t.prefixes {
		if len(g.prefix) > len(key) || key[:len(g.prefix)] != g.prefix {
			continue
		}
		if g.changed == nil {
			g.changed = map[string]*Session{}
		}
		if s.Undo.running != nil {
			s.restoreChanged(g, key)
		}
		g.changed[key] = author
		t.toSend = true
	}
}

// restoreChanged makes an undo restore what g has about key.
func (s *Server) restoreChanged(g *prefixGroup, key string) {
	author, there := g.changed[key]
	s.onUndo(func() {
		if there {
			g.changed[key] = author
		} else {
			delete(g.changed, key)
		}
	})
}
