// Package keydiff finds the keys that differ between two states of a database, and describes the
// differences in text for people.
package keydiff

import (
	"maps"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Each calls f, ordered by name, for each key that differs between two states of a database, with
// descriptions of both states; "" if the key does not exist in that state. now is in milliseconds
// since the epoch. Keys whose time to live has ended do not exist.
func Each(before, after *datastore.DB, now int64, f func(key, before, after string)) {
	changed, current := map[string]*datastore.Entry{}, map[string]*datastore.Entry{}
	before.All(func(e *datastore.Entry) bool {
		if e.ExpireAt() == 0 || e.ExpireAt() > now {
			changed[e.Key()] = e
		}
		return true
	})
	after.All(func(e *datastore.Entry) bool {
		if was := changed[e.Key()]; was != nil && sameEntry(before, was, after, e) {
			delete(changed, e.Key())
			return true
		}
		current[e.Key()] = e
		if changed[e.Key()] == nil {
			changed[e.Key()] = nil
		}
		return true
	})
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		a, b := texts(changed[key], current[key], now)
		f(key, a, b)
	}
}

// sameEntry reports whether entry a of before and entry b of after have the same content and times.
func sameEntry(before *datastore.DB, a *datastore.Entry, after *datastore.DB, b *datastore.Entry) bool {
	if a.ExpireAt() != b.ExpireAt() || a.Object().Type() != b.Object().Type() || a.Object().Len() != b.Object().Len() {
		return false
	}
	switch x := a.Object().(type) {
	case *datastore.Stream:
		if groupsText(x) != groupsText(b.Object().(*datastore.Stream)) {
			return false
		}
	case *datastore.Hash:
		if y := b.Object().(*datastore.Hash); (x.Timed() || y.Timed()) && !sameTimes(x, y) {
			return false
		}
	}
	return before.DigestValue(a.Key()) == after.DigestValue(b.Key())
}

// sameTimes reports whether the fields of two hashes expire at the same times.
func sameTimes(x, y *datastore.Hash) (same bool) {
	same = true
	x.All(func(field, _ string) bool {
		at, _ := x.FieldExpireAt(field)
		other, _ := y.FieldExpireAt(field)
		same = at == other
		return same
	})
	return same
}
