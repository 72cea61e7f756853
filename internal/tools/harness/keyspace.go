package harness

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/keydiff"
	"github.com/redmoon-lua/redmoon/reply"
)

// Keyspace is a copy of a database.
type Keyspace map[string]Key

// Key is a key with its value.
type Key struct {
	Type string // as TYPE returns it
	// Value is a bulk string, or an array of the elements of a list; a set of members, in sorted
	// order; a map of the fields of a hash, in sorted order, or of members and scores, by score; or an
	// array of entries of a stream, each an array of its ID and an array of fields and values. Groups
	// of streams are left out.
	Value   reply.Value
	Expires bool          // it has a time to live
	TTL     time.Duration // the time to live, in whole milliseconds; 0 in the last one
}

// Copy copies a database of an engine. Keys that have expired are left out, and no key counts as
// accessed.
func Copy(ks engine.Keyspace, db int) Keyspace {
	all := Keyspace{}
	for k := range ks.Keys(db) {
		all[k.Name()] = KeyOf(ks, k)
	}
	return all
}

// KeyOf copies a key of an engine.
func KeyOf(ks engine.Keyspace, k engine.Key) Key {
	copied := Key{Type: k.Type(), Value: inOrder(k.Type(), k.Value())}
	if at := k.ExpireAt(); !at.IsZero() {
		copied.Expires = true
		copied.TTL = at.Sub(time.UnixMilli(ks.Now().UnixMilli())) // at most 292 years
	}
	return copied
}

func compareTexts(a, b reply.Value) int { return strings.Compare(a.Text(), b.Text()) }

// inOrder sorts what has no order.
func inOrder(typ string, v reply.Value) reply.Value {
	list := slices.Clone(v.Slice())
	switch typ {
	case "set":
		slices.SortFunc(list, compareTexts)
		return reply.Set(list...)
	case "hash":
		pairs := slices.Collect(slices.Chunk(list, 2))
		slices.SortFunc(pairs, func(a, b []reply.Value) int { return compareTexts(a[0], b[0]) })
		return reply.Map(slices.Concat(pairs...)...)
	case "zset": // by score already; the scores of a server and those of an engine are the same values
		for i := 1; i < len(list); i += 2 {
			list[i] = reply.Double(list[i].MustFloat())
		}
		return reply.Map(list...)
	}
	return v
}

// Equal reports whether two keys have the same value and time to live.
func (k Key) Equal(other Key) bool {
	return k.Type == other.Type && k.Expires == other.Expires && k.TTL == other.TTL && k.Value.Equal(other.Value)
}

// Changes returns the keys that differ between ks and a later copy, ordered by name.
func (ks Keyspace) Changes(after Keyspace) []keydiff.Change[Key] {
	return ks.ChangesBy(after, Key.Equal)
}

// ChangesBy is Changes with another comparison, for example one that tolerates that the time to
// live was read later.
func (ks Keyspace) ChangesBy(after Keyspace, same func(a, b Key) bool) []keydiff.Change[Key] {
	return keydiff.Changes(maps.All(ks), maps.All(after), same)
}

// Names returns the names of the keys in sorted order.
func (ks Keyspace) Names() []string { return slices.Sorted(maps.Keys(ks)) }
