package datastore

import (
	"errors"

	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// The listpack form of a set: its members in the order in which they were added.

// Expect prepares the set for n more members. As in Redis since 7.2, a command that gives many
// members chooses the form by their number, before it knows whether some are equal. first is the
// first of them.
func (s *Set) Expect(n int, first string) {
	lim := s.st.limits
	if !lim.CompactSets || s.dict != nil {
		return
	}
	switch _, isInt := ParseInt(first); {
	case s.lp == nil && (s.Len() > 0 || isInt) && n <= lim.SetMaxIntsetEntries:
	case s.lp == nil && s.Len() > 0 || n > lim.SetMaxListpackEntries:
		s.toDict()
	case s.lp == nil:
		s.toListpack()
	}
}

// fitsListpack reports whether an intset becomes a listpack when m, which is not an integer, is
// added.
func (s *Set) fitsListpack(m string) bool {
	lim := s.st.limits
	if !lim.CompactSets || s.Len() >= lim.SetMaxListpackEntries || len(m) > lim.SetMaxListpackValue {
		return false
	}
	n := s.Len()
	return n == 0 || len(FormatInt(s.ints.At(0))) <= lim.SetMaxListpackValue && len(FormatInt(s.ints.At(n-1))) <= lim.SetMaxListpackValue
}

// toListpack converts an intset to a listpack.
func (s *Set) toListpack() {
	ints := s.ints
	lp := listpack.New(16)
	s.lp = &lp
	for i := range ints.Len() {
		s.lp.AppendInt(ints.At(i))
	}
	s.ints = nil
	if s.st.Recording() {
		s.st.record(func() { s.ints, s.lp = ints, nil })
	}
}

// ToInts makes the set an intset, if all its members are integers and not too many. It is for a set
// that belongs to no key yet.
func (s *Set) ToInts() {
	if s.ints != nil || s.Len() > s.st.limits.SetMaxIntsetEntries {
		return
	}
	c := intset.New()
	whole := true
	s.All(func(m string) bool {
		var n int64
		if n, whole = ParseInt(m); whole {
			i, _ := c.Find(n)
			c.Insert(i, n)
		}
		return whole
	})
	if whole {
		s.ints, s.lp, s.dict = c, nil, nil
	}
}

// NewSetLike returns an empty set that belongs to no key yet. It is a listpack if other is one.
func (s *Store) NewSetLike(other *Set) *Set {
	c := s.NewSet()
	if other.lp != nil {
		c.toListpack()
	}
	return c
}

func (s *Set) findListpack(m string) int { return s.lp.Find(s.lp.First(), m, 0) }

func (s *Set) addListpack(m string) bool {
	if s.findListpack(m) != listpack.None {
		return false
	}
	if lim := s.st.limits; s.lp.Len() >= lim.SetMaxListpackEntries || len(m) > lim.SetMaxListpackValue {
		s.toDict()
		return s.addDict(m)
	}
	p := s.lp.End()
	s.lp.Append(m)
	if s.st.Recording() {
		s.st.record(func() { s.lp.Splice(p, 1, nil, 0) })
	}
	return true
}

// removeListpack removes the member at p and reports whether there is one.
func (s *Set) removeListpack(p int) bool {
	if p == listpack.None {
		return false
	}
	if s.st.Recording() {
		old := s.lp.Raw(p, 1)
		s.st.record(func() { s.lp.Splice(p, 0, old, 1) })
	}
	s.lp.DeleteAt(p, 1)
	return true
}

// checkListpack verifies that the listpack is one of distinct members.
func (s *Set) checkListpack() error {
	if s.ints != nil {
		return errors.New("set: has two compact forms")
	}
	if err := listpack.Validate(*s.lp, true); err != nil {
		return err
	}
	members := make(map[string]struct{}, s.Len())
	s.All(func(m string) bool { members[m] = struct{}{}; return true })
	if len(members) != s.Len() {
		return errors.New("set: a member twice")
	}
	return nil
}
