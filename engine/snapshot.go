package engine

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Snapshot is what the databases of an engine held at one time. It does not change, and serves the engine that it is of.
type Snapshot struct {
	e     *Engine
	store *datastore.Store
}

// errForeignSnapshot is returned for a snapshot of another engine.
var errForeignSnapshot = errors.New("redmoon: the snapshot is of another engine")

// Snapshot copies what the databases hold, at the price of all of it.
func (e *Engine) Snapshot() (*Snapshot, error) {
	s := &Snapshot{e: e}
	if err := e.onLoop(func() { s.store = e.server.Store.Fork(rand.NewPCG(0, 0)) }); err != nil {
		return nil, err
	}
	return s, nil
}

// Restore puts the databases back to what they held, which clients that watch or track keys are told as of FLUSHALL. Keys whose time has come since are gone.
func (e *Engine) Restore(s *Snapshot) error {
	if s.e != e {
		return errForeignSnapshot
	}
	return e.onLoop(func() {
		e.setNow()
		e.server.Replace(s.store)
	})
}

// KeyChange is a key whose value or time to live differ.
type KeyChange struct {
	DB  int
	Key string
	// Before and After are text for people: type, time to live, and of the value what differs, a line for each element, cut where it is long. "" where there is no key.
	Before, After string
}

// Changes are the keys that differ between s and now, by database and name. A key whose time has come is none.
func (e *Engine) Changes(s *Snapshot) (changes []KeyChange, err error) {
	if s.e != e {
		return nil, errForeignSnapshot
	}
	err = e.onLoop(func() {
		e.setNow()
		now := e.server.Store
		for i := range now.Databases() {
			changes = appendChanges(changes, s.store.DB(i), now.DB(i), now.Now())
		}
	})
	return changes, err
}

// appendChanges adds what differs between two states of a database.
func appendChanges(to []KeyChange, before, after *datastore.DB, now int64) []KeyChange {
	from := len(to)
	old := map[string]*Entry{}
	before.All(func(e *Entry) bool {
		if e.ExpireAt() == 0 || e.ExpireAt() > now {
			old[e.Key()] = e
		}
		return true
	})
	add := func(key string, a, b *Entry) {
		to = append(to, KeyChange{DB: after.ID(), Key: key})
		to[len(to)-1].Before, to[len(to)-1].After = describeChange(a, b, now)
	}
	after.All(func(e *Entry) bool {
		was := old[e.Key()]
		delete(old, e.Key())
		if was == nil || !sameEntry(before, was, after, e) {
			add(e.Key(), was, e)
		}
		return true
	})
	for key, was := range old {
		add(key, was, nil)
	}
	slices.SortFunc(to[from:], func(a, b KeyChange) int { return strings.Compare(a.Key, b.Key) })
	return to
}

// sameEntry reports whether an entry is what it was.
func sameEntry(before *datastore.DB, a *Entry, after *datastore.DB, b *Entry) bool {
	if a.ExpireAt() != b.ExpireAt() || a.Object().Type() != b.Object().Type() || a.Object().Len() != b.Object().Len() {
		return false
	}
	switch x := a.Object().(type) {
	case *Stream:
		if groupsText(x) != groupsText(b.Object().(*Stream)) {
			return false
		}
	case *Hash:
		if y := b.Object().(*Hash); (x.Timed() || y.Timed()) && !sameTimes(x, y) {
			return false
		}
	}
	return before.DigestValue(a.Key()) == after.DigestValue(b.Key())
}

// sameTimes reports whether the fields of two hashes expire at the same times.
func sameTimes(x, y *Hash) (same bool) {
	same = true
	x.All(func(field, _ string) bool {
		at, _ := x.FieldExpireAt(field)
		other, _ := y.FieldExpireAt(field)
		same = at == other
		return same
	})
	return same
}
