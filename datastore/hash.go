package datastore

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Hash maps fields to values.
//
// While it is within the hash-max-listpack limits it is a slice of pairs in insertion order,
// searched from the front, as Redis keeps a listpack; beyond them a Dict. It never turns back.
type Hash struct {
	st    *Store
	pairs []hashPair    // the compact form
	dict  *Dict[string] // nil in the compact form
}

type hashPair struct{ field, value string }

// Hash returns the hash of key, nil when there is no such key, ErrWrongType when it holds
// another type.
func (db *DB) Hash(key string) (*Hash, error) { return object[*Hash](db, key) }

// HashForWrite is Hash that puts an empty hash under a missing key. Caller must set a field
// of it, or call DropIfEmpty.
func (db *DB) HashForWrite(key string) (*Hash, error) {
	h, err := db.Hash(key)
	if h == nil && err == nil {
		h = &Hash{st: db.store}
		db.Put(key, h)
	}
	return h, err
}

// Type returns TypeHash.
func (h *Hash) Type() Type { return TypeHash }

// Encoding is listpack or hashtable: Redis's names of the two forms.
func (h *Hash) Encoding() string {
	if h.Compact() {
		return "listpack"
	}
	return "hashtable"
}

// Compact reports whether the hash is in its compact form.
func (h *Hash) Compact() bool { return h.dict == nil }

// Len is the number of fields.
func (h *Hash) Len() int {
	if h.dict == nil {
		return len(h.pairs)
	}
	return h.dict.Len()
}

// index is the place of field in the compact form, or -1.
func (h *Hash) index(field string) int {
	for i := range h.pairs {
		if h.pairs[i].field == field {
			return i
		}
	}
	return -1
}

// Get returns the value of field.
func (h *Hash) Get(field string) (value string, ok bool) {
	if h.dict != nil {
		return h.dict.Get(field)
	}
	if i := h.index(field); i >= 0 {
		return h.pairs[i].value, true
	}
	return "", false
}

// Has reports whether field is in the hash.
func (h *Hash) Has(field string) bool {
	if h.dict != nil {
		return h.dict.Has(field)
	}
	return h.index(field) >= 0
}

// At returns the pair at place i, 0 <= i < Len. In the compact form places are insertion order.
func (h *Hash) At(i int) (field, value string) {
	if h.dict != nil {
		return h.dict.At(i)
	}
	return h.pairs[i].field, h.pairs[i].value
}

// Random returns a uniformly chosen pair. Caller must know that the hash is not empty.
func (h *Hash) Random(r *rand.Rand) (field, value string) { return h.At(r.IntN(h.Len())) }

// All calls f for each pair until f returns false. f must not change the hash.
func (h *Hash) All(f func(field, value string) bool) {
	if h.dict != nil {
		h.dict.All(f)
		return
	}
	for i := range h.pairs {
		if !f(h.pairs[i].field, h.pairs[i].value) {
			return
		}
	}
}

// Scan calls f for some pairs and returns the next cursor, 0 at the end; see [Dict.Scan]. The
// compact form passes all at once, whatever the cursor.
func (h *Hash) Scan(cursor uint64, f func(field, value string)) uint64 {
	if h.dict != nil {
		return h.dict.Scan(cursor, f)
	}
	for i := range h.pairs {
		f(h.pairs[i].field, h.pairs[i].value)
	}
	return 0
}

// Set gives field a value and reports whether the field is new.
func (h *Hash) Set(field, value string) (added bool) {
	lim := h.st.limits
	if h.dict == nil && (len(field) > lim.HashMaxListpackValue || len(value) > lim.HashMaxListpackValue) {
		h.toDict()
	}
	if h.dict != nil {
		return h.setDict(field, value)
	}
	i := h.index(field)
	if i >= 0 {
		if h.st.Recording() {
			old := h.pairs[i].value
			h.st.record(func() { h.pairs[i].value = old })
		}
		h.pairs[i].value = value
	} else {
		h.pairs = append(h.pairs, hashPair{field, value})
		if h.st.Recording() {
			h.st.record(func() { h.pairs = slices.Delete(h.pairs, len(h.pairs)-1, len(h.pairs)) })
		}
	}
	if len(h.pairs) > lim.HashMaxListpackEntries {
		h.toDict()
	}
	return i < 0
}

func (h *Hash) setDict(field, value string) (added bool) {
	p, added := h.dict.Put(field)
	if h.st.Recording() {
		if old := *p; added {
			h.st.record(func() { h.dict.Delete(field) })
		} else {
			h.st.record(func() { h.dict.Set(field, old) })
		}
	}
	*p = value
	return added
}

// Delete removes field and reports whether it was there.
func (h *Hash) Delete(field string) bool {
	if h.dict != nil {
		old, pos, ok := h.dict.remove(field)
		if ok && h.st.Recording() {
			h.st.record(func() { h.dict.insertAt(field, old, pos) })
		}
		return ok
	}
	i := h.index(field)
	if i < 0 {
		return false
	}
	if h.st.Recording() {
		old := h.pairs[i]
		h.st.record(func() { h.pairs = slices.Insert(h.pairs, i, old) })
	}
	h.pairs = slices.Delete(h.pairs, i, i+1)
	return true
}

// toDict leaves the compact form for good.
func (h *Hash) toDict() {
	pairs := h.pairs
	h.dict, h.pairs = newDict[string](h.st.seed), nil
	for _, p := range pairs {
		h.dict.Set(p.field, p.value)
	}
	if h.st.Recording() {
		h.st.record(func() { h.pairs, h.dict = pairs, nil })
	}
}

func (h *Hash) clone() Object {
	c := &Hash{st: h.st}
	if h.dict == nil {
		c.pairs = slices.Clone(h.pairs)
		return c
	}
	c.dict = newDict[string](h.st.seed)
	h.dict.All(func(field, value string) bool {
		c.dict.Set(field, value)
		return true
	})
	return c
}

func (h *Hash) check() error {
	if h.dict != nil {
		if h.pairs != nil {
			return fmt.Errorf("hash: both forms at once")
		}
		return h.dict.check()
	}
	for i, p := range h.pairs {
		if h.index(p.field) != i {
			return fmt.Errorf("hash: field %q twice", p.field)
		}
	}
	return nil
}
