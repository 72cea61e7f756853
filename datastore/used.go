package datastore

import "fmt"

// The store counts the bytes of all keys and values as they change, beginning with the first call
// of Used. Without such a call (no maxmemory, no INFO memory) there is no cost.
//
// A key counts from when it is put into its database until it is removed. In between, its value may
// change only while the key is open: from the lookup that returned the value (see object) to the
// next UpdateUsed, which adds the difference of the sizes to the count. The owner calls UpdateUsed
// after each command.
//
// Undo steps work the same way in reverse: the undo step of UpdateUsed opens the keys again, and
// that of opening a key closes it.

// opened is a key whose value may be changing.
type opened struct {
	db   *DB
	e    *Entry
	size int // size when it was opened
}

// manyOpen is the number of open keys from which a map is used to find them.
const manyOpen = 16

// Used returns the bytes of all keys and values, the sum of [Store.Usage]. The first call visits
// all keys; further calls take constant time.
func (s *Store) Used() int64 {
	if !s.counting {
		return s.startCounting()
	}
	s.UpdateUsed()
	return s.used
}

// startCounting returns the size of all keys and begins to count changes. While the store is
// recording, it only returns the size.
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
	db.keys.All(func(p **Entry) bool {
		sum += (*p).size()
		return true
	})
	return sum
}

// UpdateUsed measures the values that were looked up since the last call, and updates [Store.Used].
// The owner must call it regularly between commands, because until then the store keeps a list of
// these values.
func (s *Store) UpdateUsed() {
	if len(s.open) > 0 {
		s.countOpen()
	}
}

func (s *Store) countOpen() {
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
	clear(s.open) // values that are deleted meanwhile must not stay in memory
	s.open = s.open[:0]
	clear(s.openSet)
}

// count adds n to the count, if the store is counting.
func (db *DB) count(n int) {
	if !db.store.counting {
		return
	}
	db.used += int64(n)
	db.store.used += int64(n)
}

// SetReading(true) promises that the values of the following lookups will not change, so that the
// store need not measure them again (see [Store.UpdateUsed]). SetReading(false) ends the promise. A
// caller that changes a value in between must call [DB.WillChange] before.
func (s *Store) SetReading(on bool) { s.reading = on }

// WillChange announces that the value of key is about to change. It is needed only after
// [Store.SetReading](true).
func (db *DB) WillChange(key string) {
	if !db.store.watching {
		return
	}
	if e, ok := db.keys.Get(key); ok {
		db.open(e)
	}
}

// keep lets the image in progress write e, whose value, expiry time or key is about to change.
func (db *DB) keep(e *Entry) {
	if t := db.keys.image; t != nil {
		t.keep(e)
	}
}

// watch sets watching.
func (s *Store) watch() { s.watching = s.counting || s.rerun != nil || s.image != nil }

// open records that the value of e may change from now on.
func (db *DB) open(e *Entry) {
	s := db.store
	if !s.watching || len(s.open) > 0 && s.isOpen(e) {
		return
	}
	db.keep(e)
	if s.rerun != nil {
		s.rerun.saveLayout(e)
	}
	if !s.counting {
		return
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

// noteOpen adds the open entries to the map; e is the newest.
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

// close counts the change of size of e, if e is open. The other entries stay open.
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
		s.open[i], s.open[last] = s.open[last], opened{}
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

// enter counts an entry that has been put into the database, leave uncounts one that is removed.
// They also attach and detach hashes. They journal nothing.
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
