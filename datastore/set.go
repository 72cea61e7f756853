package datastore

import (
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore/internal/hashtable"
	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// Set is a set of distinct strings.
//
// While all members are integers, and at most set-max-intset-entries, it is an intset. With
// Limits.CompactSets, few short members are a listpack. These are the compact forms. Otherwise it
// becomes a Dict (the large form), for good.
type Set struct {
	st   *Store
	ints intset.Set                // nil in the other forms
	lp   *listpack.List            // nil in the other forms; a pointer, because most sets have none
	dict *hashtable.Dict[struct{}] // nil in the compact forms
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

// Encoding is intset, listpack or hashtable.
func (s *Set) Encoding() string {
	switch {
	case s.dict != nil:
		return "hashtable"
	case s.lp != nil:
		return "listpack"
	}
	return "intset"
}

// Compact reports whether the set is in a compact form: an intset, whose order is ascending, or a
// listpack.
func (s *Set) Compact() bool { return s.dict == nil }

// Len is the number of members.
func (s *Set) Len() int {
	switch {
	case s.dict != nil:
		return s.dict.Len()
	case s.lp != nil:
		return s.lp.Len()
	}
	return s.ints.Len()
}

// Has reports whether m is a member.
func (s *Set) Has(m string) bool {
	if s.dict != nil {
		return s.dict.Has(m)
	}
	if s.lp != nil {
		return s.findListpack(m) != listpack.None
	}
	n, ok := ParseInt(m)
	if !ok {
		return false
	}
	_, found := s.ints.Find(n)
	return found
}

// At returns the member at index i, 0 <= i < Len. In an intset the members are in ascending order.
func (s *Set) At(i int) string {
	if s.dict != nil {
		m, _ := s.dict.At(i)
		return m
	}
	if s.lp != nil {
		return s.lp.Text(s.lp.Seek(i))
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
	if s.lp != nil {
		for p := s.lp.First(); p != listpack.None && f(s.st.text(*s.lp, p)); {
			p = s.lp.Next(p)
		}
		return
	}
	for i := range s.ints.Len() {
		if !f(FormatInt(s.ints.At(i))) {
			return
		}
	}
}

// Scan calls f for some members and returns the next cursor, 0 at the end; see [DB.Scan]. In the
// compact forms it passes all members, whatever the cursor.
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
	if s.lp != nil {
		return s.addListpack(m)
	}
	n, ok := ParseInt(m)
	if !ok {
		if s.fitsListpack(m) {
			s.toListpack()
			return s.addListpack(m)
		}
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
	if s.lp != nil {
		return s.removeListpack(s.findListpack(m))
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
	switch {
	case s.dict != nil:
		s.Remove(m)
	case s.lp != nil:
		s.removeListpack(s.lp.Seek(i))
	default:
		s.removeInt(i)
	}
	return m
}

// toDict converts a compact form to the large form.
func (s *Set) toDict() {
	ints, lp, dict := s.ints, s.lp, newDict[struct{}](s.st)
	s.All(func(m string) bool {
		dict.Put(m)
		return true
	})
	s.ints, s.lp, s.dict = nil, nil, dict
	if s.st.Recording() {
		s.st.record(func() { s.ints, s.lp, s.dict = ints, lp, nil })
	}
}

func (s *Set) clone() Object {
	c := &Set{st: s.st}
	if s.lp != nil {
		lp := s.lp.Clone()
		c.lp = &lp
		return c
	}
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
		if s.ints != nil || s.lp != nil {
			return fmt.Errorf("set: has both a compact and the large form")
		}
		if err := s.dict.CheckTexts(); err != nil {
			return err
		}
		return s.dict.Check()
	}
	if s.lp != nil {
		return s.checkListpack()
	}
	if s.Len() == 0 {
		return nil
	}
	return intset.Validate(s.ints, true)
}
