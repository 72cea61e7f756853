package datastore

import (
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore/internal/hashtable"
	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
)

// Set is a set of distinct strings.
//
// While all members are integers, and at most set-max-intset-entries, it is an intset (the compact
// form); otherwise it becomes a Dict (the large form), for good.
type Set struct {
	st   *Store
	ints intset.Set                // the compact form; nil when dict is set
	dict *hashtable.Dict[struct{}] // nil in the compact form
}

// Set returns the set of key, nil if there is no such key. The error is ErrWrongType.
func (db *DB) Set(key string) (*Set, error) { return object[*Set](db, key) }

// SetForWrite is Set, but puts an empty set under a missing key. The caller must add to it, or call
// DropIfEmpty.
func (db *DB) SetForWrite(key string) (*Set, error) {
	s, err := db.Set(key)
	if s == nil && err == nil {
		both := &struct {
			e Entry
			s Set
		}{s: Set{st: db.store, ints: intset.New()}} // one allocation
		s = &both.s
		both.e.init(key, s, db.store.LastNow())
		db.put(&both.e)
	}
	return s, err
}

// NewSet returns an empty set that belongs to no key yet.
func (s *Store) NewSet() *Set { return &Set{st: s, ints: intset.New()} }

// Type returns TypeSet.
func (s *Set) Type() Type { return TypeSet }

// Encoding is intset or hashtable.
func (s *Set) Encoding() string {
	if s.Compact() {
		return "intset"
	}
	return "hashtable"
}

// Compact reports whether the set is in its compact form, whose order is ascending.
func (s *Set) Compact() bool { return s.dict == nil }

// Len is the number of members.
func (s *Set) Len() int {
	if s.dict == nil {
		return s.ints.Len()
	}
	return s.dict.Len()
}

// Has reports whether m is a member.
func (s *Set) Has(m string) bool {
	if s.dict != nil {
		return s.dict.Has(m)
	}
	n, ok := ParseInt(m)
	if !ok {
		return false
	}
	_, found := s.ints.Find(n)
	return found
}

// At returns the member at index i, 0 <= i < Len. In the compact form the members are in ascending
// order.
func (s *Set) At(i int) string {
	if s.dict != nil {
		m, _ := s.dict.At(i)
		return m
	}
	return FormatInt(s.ints.At(i))
}

// Random returns a uniformly chosen member. The set must not be empty.
func (s *Set) Random(r *rand.Rand) string { return s.At(r.IntN(s.Len())) }

// All calls f for each member until f returns false. f must not change the set.
func (s *Set) All(f func(m string) bool) {
	if s.dict != nil {
		s.dict.All(func(m string, _ struct{}) bool { return f(m) })
		return
	}
	for i := range s.ints.Len() {
		if !f(FormatInt(s.ints.At(i))) {
			return
		}
	}
}

// Scan calls f for some members and returns the next cursor, 0 at the end; see [DB.Scan]. In the
// compact form it passes all members, whatever the cursor.
func (s *Set) Scan(cursor uint64, f func(m string)) uint64 {
	if s.dict != nil {
		return s.dict.Scan(cursor, func(m string, _ struct{}) { f(m) })
	}
	s.All(func(m string) bool { f(m); return true })
	return 0
}

// Add adds m and reports whether it is new.
func (s *Set) Add(m string) bool {
	if s.dict != nil {
		return s.addDict(m)
	}
	n, ok := ParseInt(m)
	if !ok {
		s.toDict()
		return s.addDict(m)
	}
	i, found := s.ints.Find(n)
	if found {
		return false
	}
	if s.st.Recording() {
		width := s.ints.Width()
		s.st.record(func() {
			s.ints.Delete(i)
			s.ints.Narrow(width)
		})
	}
	s.ints.Insert(i, n)
	if s.ints.Len() > s.st.limits.SetMaxIntsetEntries {
		s.toDict()
	}
	return true
}

func (s *Set) addDict(m string) bool {
	_, added := s.dict.Put(m)
	if added && s.st.Recording() {
		s.st.record(func() { s.dict.Delete(m) })
	}
	return added
}

// Remove removes m and reports whether it was there.
func (s *Set) Remove(m string) bool {
	if s.dict != nil {
		_, pos, ok := s.dict.Remove(m)
		if ok && s.st.Recording() {
			s.st.recordKept(len(m), func() { s.dict.InsertAt(m, struct{}{}, pos) })
		}
		return ok
	}
	n, ok := ParseInt(m)
	if !ok {
		return false
	}
	i, found := s.ints.Find(n)
	if !found {
		return false
	}
	s.removeInt(i)
	return true
}

func (s *Set) removeInt(i int) {
	if s.st.Recording() {
		n := s.ints.At(i)
		s.st.record(func() { s.ints.Insert(i, n) })
	}
	s.ints.Delete(i)
}

// Pop removes and returns a uniformly chosen member. The set must not be empty.
func (s *Set) Pop(r *rand.Rand) string {
	i := r.IntN(s.Len())
	m := s.At(i)
	if s.dict != nil {
		s.Remove(m)
	} else {
		s.removeInt(i)
	}
	return m
}

// toDict converts the compact form to the large form.
func (s *Set) toDict() {
	ints, dict := s.ints, newDict[struct{}](s.st)
	s.All(func(m string) bool {
		dict.Put(m)
		return true
	})
	s.ints, s.dict = nil, dict
	if s.st.Recording() {
		s.st.record(func() { s.ints, s.dict = ints, nil })
	}
}

func (s *Set) clone() Object {
	c := &Set{st: s.st}
	if s.dict == nil {
		c.ints = s.ints.Clone()
		return c
	}
	c.dict = newDict[struct{}](s.st)
	s.dict.All(func(m string, _ struct{}) bool {
		c.dict.Put(m)
		return true
	})
	return c
}

func (s *Set) check() error {
	if s.dict != nil {
		if s.ints != nil {
			return fmt.Errorf("set: has both the compact and the large form")
		}
		if err := s.dict.CheckTexts(); err != nil {
			return err
		}
		return s.dict.Check()
	}
	if s.Len() == 0 {
		return nil
	}
	return intset.Validate(s.ints, true)
}
