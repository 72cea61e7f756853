package keydiff

import (
	"iter"

	"github.com/redmoon-lua/redmoon/datastore"
)

// Each calls f, ordered by name, for each key that differs between two states of a database, with
// descriptions of both states; "" if the key does not exist in that state. now is in milliseconds
// since the epoch. Keys whose time to live has ended by then do not exist.
func Each(before, after *datastore.DB, now int64, f func(key, before, after string)) {
	same := func(a, b *datastore.Entry) bool { return sameEntry(before, a, after, b) }
	for _, c := range Changes(entries(before, now), entries(after, now), same) {
		a, b := texts(c.Before, c.After, now)
		f(c.Name, a, b)
	}
}

// entries returns the entries of a database by name, without those that have expired by now, in
// milliseconds since the epoch.
func entries(db *datastore.DB, now int64) iter.Seq2[string, *datastore.Entry] {
	return func(yield func(string, *datastore.Entry) bool) {
		db.All(func(e *datastore.Entry) bool {
			if at := e.ExpireAt(); at != 0 && at < now {
				return true
			}
			return yield(e.Key(), e)
		})
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
