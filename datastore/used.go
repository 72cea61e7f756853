package datastore

import "fmt"

// The bytes of all keys and values are counted as they change, from when they are asked for first: who never sets a limit and never asks
// does not pay for it.
//
// A key counts with all it has from when it is put into its database until it is taken out. In between its value may change
// only while it is open: that is, from the lookup that returned it (see object) to the next settle, which puts the difference of its
// sizes on the count. Who runs commands settles after each.
//
// An undo goes the same way backwards: to settle is undone by opening, and to open by settling.

// opened is a key whose value may be changing.
type opened struct {
	db   *DB
	e    *Entry
	size int // when it was opened
}

// manyOpen is the number of open keys from which they are looked for by a map.
const manyOpen = 16

// Used is the number of bytes that all keys and values take, by the estimate that [Store.Usage] gives of each. The first call goes
// through all keys.
func (s *Store) Used() int64 {
	if !s.counting {
		return s.startCounting()
	}
	s.Settle()
	return s.used
}

// startCounting counts what is there, and what changes from now on. Among changes that may be undone it only does the first.
func (s *Store) startCounting() (sum int64) {
	begin := !s.Recording()
	for _, db := range s.dbs {
		n := int64(db.size())
		sum += n
		if begin {
			db.used = n
		}
	}
	if begin {
		s.counting, s.watching, s.used = true, true, sum
	}
	return sum
}

// size adds up the bytes of the database.
func (db *DB) size() int {
	sum := len(db.expires) * inHeap
	db.keys.all(func(p **Entry) bool {
		sum += (*p).size()
		return true
	})
	return sum
}

// Settle brings the number of Used up to date. Who changes values calls it now and then, outside of commands; until then
// every value that was looked up is remembered.
func (s *Store) Settle() {
	if len(s.open) > 0 {
		s.settle()
	}
}

func (s *Store) settle() {
	for i := range s.open {
		o := &s.open[i]
		if diff := o.e.size() - o.size; diff != 0 {
			o.db.count(diff)
		}
		if s.Recording() {
			db, e := o.db, o.e
			s.record(func() { db.open(e) })
		}
	}
	if cap(s.open) > 1024 {
		s.open, s.openSet = nil, nil
		return
	}
	s.open = s.open[:0]
	clear(s.openSet)
}

// count adds to the count, where there is one.
func (db *DB) count(n int) {
	if !db.store.counting {
		return
	}
	db.used += int64(n)
	db.store.used += int64(n)
}

// SetReading says that the values that are looked up from now on are not changed, so that they need not be looked after; or that they
// may be again. Who changes one all the same says so by WillChange.
func (s *Store) SetReading(on bool) { s.reading = on }

// WillChange says that the value of key is about to change.
func (db *DB) WillChange(key string) {
	if !db.store.watching {
		return
	}
	if e, ok := db.keys.Get(key); ok {
		db.open(e)
	}
}

// open says that the value of e may change from now on.
func (db *DB) open(e *Entry) {
	s := db.store
	if !s.watching || len(s.open) > 0 && s.isOpen(e) {
		return
	}
	if s.rerun != nil {
		if s.rerun.keepTable(e); !s.counting {
			return
		}
	}
	s.open = append(s.open, opened{db, e, e.size()})
	if len(s.open) > manyOpen {
		s.noteOpen(e)
	}
	if s.Recording() {
		s.record(func() { db.close(e) })
	}
}

func (s *Store) isOpen(e *Entry) bool {
	if len(s.open) > manyOpen {
		_, there := s.openSet[e]
		return there
	}
	for i := range s.open {
		if s.open[i].e == e {
			return true
		}
	}
	return false
}

// noteOpen puts the open entries into the map, of which e is the newest.
func (s *Store) noteOpen(e *Entry) {
	if s.openSet == nil {
		s.openSet = map[*Entry]struct{}{}
	}
	if len(s.openSet) == 0 {
		for i := range s.open {
			s.openSet[s.open[i].e] = struct{}{}
		}
	}
	s.openSet[e] = struct{}{}
}

// close counts what has become of e, if it is open. What is left of the others stays open.
func (db *DB) close(e *Entry) {
	s := db.store
	if len(s.open) == 0 || !s.isOpen(e) {
		return
	}
	last := len(s.open) - 1
	for i := last; i >= 0; i-- {
		if s.open[i].e != e {
			continue
		}
		db.count(e.size() - s.open[i].size)
		s.open[i] = s.open[last]
		s.open = s.open[:last]
		break
	}
	if len(s.open) <= manyOpen {
		clear(s.openSet)
	} else {
		delete(s.openSet, e)
	}
	if s.Recording() {
		s.record(func() { db.open(e) })
	}
}

// enter and leave are what happens to an entry that comes into the database, and goes; they journal nothing of it.
func (db *DB) enter(e *Entry) {
	e.attach(db)
	if db.store.counting {
		db.count(e.size())
	}
}

func (db *DB) leave(e *Entry) {
	if db.store.counting {
		db.close(e)
		db.count(-e.size())
	}
	e.detach()
}

// checkUsed verifies the count.
func (db *DB) checkUsed() error {
	if sum := db.size(); db.store.counting && int64(sum) != db.used {
		return fmt.Errorf("%d bytes, counted %d", sum, db.used)
	}
	return nil
}
