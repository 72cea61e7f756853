package datastore

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/hashtable"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// Hash maps fields to values.
//
// Within the hash-max-listpack limits it is a listpack of fields and values in insertion order,
// searched from the front (the compact form); beyond them it becomes a Dict (the large form), for
// good.
type Hash struct {
	st   *Store
	lp   listpack.List           // the compact form: field, value, field, value ...
	dict *hashtable.Dict[string] // nil in the compact form

	times *fieldTimes // nil until a field gets an expiry time
}

// Hash returns the hash of key, nil if there is no such key. The error is ErrWrongType.
func (db *DB) Hash(key string) (*Hash, error) { return object[*Hash](db, key) }

// HashForWrite is Hash, but puts an empty hash under a missing key. The caller must set a field, or
// call DropIfEmpty.
func (db *DB) HashForWrite(key string) (*Hash, error) {
	h, err := db.Hash(key)
	if h == nil && err == nil {
		both := &struct {
			e Entry
			h Hash
		}{h: Hash{st: db.store, lp: listpack.New(16)}} // one allocation
		h = &both.h
		both.e.init(key, h, db.store.LastNow())
		db.put(&both.e)
	}
	return h, err
}

// NewHash returns an empty hash that belongs to no key yet.
func (s *Store) NewHash() *Hash { return &Hash{st: s, lp: listpack.New(16)} }

// Type returns TypeHash.
func (h *Hash) Type() Type { return TypeHash }

// Encoding is listpack, listpackex (with expiry times of fields) or hashtable.
func (h *Hash) Encoding() string {
	switch {
	case h.dict != nil:
		return "hashtable"
	case h.times != nil:
		return "listpackex"
	}
	return "listpack"
}

// Compact reports whether the hash is in its compact form.
func (h *Hash) Compact() bool { return h.dict == nil }

// Len is the number of fields. Expired fields count until they are removed.
func (h *Hash) Len() int {
	if h.dict == nil {
		return h.lp.Len() / h.width()
	}
	return h.dict.Len()
}

// find returns the position of field in the compact form, or listpack.None.
func (h *Hash) find(field string) int { return h.lp.Find(h.lp.First(), field, h.width()-1) }

// Get returns the value of field.
func (h *Hash) Get(field string) (value string, ok bool) {
	if h.dict != nil {
		if h.expired(field, 0) {
			return "", false
		}
		return h.dict.Get(field)
	}
	if p := h.find(field); p != listpack.None && !h.expired(field, p) {
		return h.st.text(h.lp, h.lp.Next(p)), true
	}
	return "", false
}

// Has reports whether field is in the hash.
func (h *Hash) Has(field string) bool {
	if h.dict != nil {
		return h.dict.Has(field) && !h.expired(field, 0)
	}
	p := h.find(field)
	return p != listpack.None && !h.expired(field, p)
}

// At returns the pair at index i, 0 <= i < Len. In the compact form the order is that of All.
func (h *Hash) At(i int) (field, value string) {
	if h.dict != nil {
		return h.dict.At(i)
	}
	p := h.lp.Seek(h.width() * i)
	return h.st.text(h.lp, p), h.st.text(h.lp, h.lp.Next(p))
}

// Random returns a uniformly chosen pair. The hash must not be empty.
func (h *Hash) Random(r *rand.Rand) (field, value string) { return h.At(r.IntN(h.Len())) }

// All calls f for each pair until f returns false. f must not change the hash.
func (h *Hash) All(f func(field, value string) bool) {
	h.each(func(field, value string, at int64) bool { return h.st.isPast(at) || f(field, value) })
}

// each calls f for each pair and its expiry time (0: none) until f returns false. It includes
// expired fields.
func (h *Hash) each(f func(field, value string, at int64) bool) {
	if h.dict != nil {
		h.dict.All(func(field, value string) bool { return f(field, value, h.timeInDict(field)) })
		return
	}
	for p := h.lp.First(); p != listpack.None; {
		v := h.lp.Next(p)
		next, at := h.lp.Next(v), int64(0)
		if h.times != nil {
			at, _ = h.lp.Int(next)
			next = h.lp.Next(next)
		}
		if !f(h.st.text(h.lp, p), h.st.text(h.lp, v), at) {
			return
		}
		p = next
	}
}

// Scan calls f for some pairs and returns the next cursor, 0 at the end; see [DB.Scan]. In the
// compact form it passes all pairs, whatever the cursor.
func (h *Hash) Scan(cursor uint64, f func(field, value string)) uint64 {
	if h.dict != nil {
		return h.dict.Scan(cursor, func(field, value string) {
			if !h.expired(field, 0) {
				f(field, value)
			}
		})
	}
	h.All(func(field, value string) bool { f(field, value); return true })
	return 0
}

// tooLong reports whether text is too long for the compact form.
func (h *Hash) tooLong(text string) bool { return len(text) > h.st.limits.HashMaxListpackValue }

// Prepare must be called with the fields and values that are about to be set: if one of them is too
// long for the compact form, the hash takes the large form before the first is set, as in Redis.
func (h *Hash) Prepare(texts []string) {
	if h.dict != nil {
		return
	}
	if slices.ContainsFunc(texts, h.tooLong) {
		h.toDict()
		return
	}
	if h.lp.First() == listpack.None {
		size := 0
		for _, s := range texts {
			size += listpack.EntrySize(s)
		}
		h.lp.Grow(size)
	}
}

// Expect prepares the hash for a command that sets n fields. Since Redis 7.2 their number chooses
// the form, before it is known whether some are equal.
func (h *Hash) Expect(n int) {
	if lim := h.st.limits; h.dict == nil && lim.NumberFirst && n > lim.HashMaxListpackEntries {
		h.toDict()
	}
}

// Set sets the value of field, removes its expiry time and reports whether the field is new.
func (h *Hash) Set(field, value string) (added bool) { return h.set(field, value, 0) }

// SetKeep is Set, but keeps the expiry time of the field.
func (h *Hash) SetKeep(field, value string) (added bool) { return h.set(field, value, -1) }

// set sets the value of field and its expiry time: to at, or unchanged if at is negative.
func (h *Hash) set(field, value string, at int64) (added bool) {
	if h.dict == nil && (h.tooLong(field) || h.tooLong(value)) {
		h.toDict()
	}
	if h.dict != nil {
		added = h.setDict(field, value)
		if h.times != nil && at >= 0 {
			h.setTime(field, at)
		}
		return added
	}
	if h.times != nil {
		added = h.setTimed(field, value, at)
		if h.lp.Len()/3 > h.st.limits.HashMaxListpackEntries {
			h.toDict()
		}
		return added
	}
	p := h.find(field)
	if p != listpack.None {
		h.replace(h.lp.Next(p), value)
	} else {
		h.append(field, value)
	}
	if h.lp.Len()/2 > h.st.limits.HashMaxListpackEntries {
		h.toDict()
	}
	return p == listpack.None
}

// replace replaces the value at p of the compact form.
func (h *Hash) replace(p int, value string) {
	if h.st.Recording() {
		old := h.lp.Raw(p, 1)
		h.st.record(func() { h.lp.Splice(p, 1, old, 1) })
	}
	h.lp.Replace(p, value)
}

// append adds a pair to the compact form.
func (h *Hash) append(field, value string) {
	if h.st.Recording() {
		p := h.lp.End()
		h.st.record(func() { h.lp.Splice(p, 2, nil, 0) })
	}
	h.lp.Append(field)
	h.lp.Append(value)
}

func (h *Hash) setDict(field, value string) (added bool) {
	old, added := setText(h.dict, field, value)
	if h.st.Recording() {
		if added {
			h.st.record(func() { deleteText(h.dict, field) })
		} else {
			h.st.recordKept(len(old), func() { setText(h.dict, field, old) })
		}
	}
	return added
}

// setText sets the value of a field of the large form and returns the old one; deleteText removes a
// field. They journal nothing.
func setText(d *hashtable.Dict[string], field, value string) (old string, added bool) {
	p, added := d.Put(field)
	old = *p
	d.Texts += textSize(len(value)) - textSize(len(old))
	*p = value
	return old, added
}

func deleteText(d *hashtable.Dict[string], field string) (old string, pos int, ok bool) {
	old, pos, ok = d.Remove(field)
	d.Texts -= textSize(len(old))
	return old, pos, ok
}

// Delete removes field and reports whether it was there.
func (h *Hash) Delete(field string) bool {
	if h.dict != nil {
		if h.times != nil {
			h.setTime(field, 0)
		}
		old, pos, ok := deleteText(h.dict, field)
		if ok && h.st.Recording() {
			h.st.recordKept(len(field)+len(old), func() {
				h.dict.InsertAt(field, old, pos)
				h.dict.Texts += textSize(len(old))
			})
		}
		return ok
	}
	p := h.find(field)
	if p == listpack.None {
		return false
	}
	if h.times != nil {
		h.journalCompact()
		h.lp.DeleteAt(p, 3)
		h.setAlarm()
		return true
	}
	if h.st.Recording() {
		old := h.lp.Raw(p, 2)
		h.st.record(func() { h.lp.Splice(p, 0, old, 2) })
	}
	h.lp.DeleteAt(p, 2)
	return true
}

// toDict converts the compact form to the large form.
func (h *Hash) toDict() {
	lp, dict, t := h.lp, newDict[string](h.st), h.times
	if t != nil {
		t.byField = map[string]*Entry{}
	}
	h.each(func(field, value string, at int64) bool {
		setText(dict, field, value)
		if at != 0 {
			t.add(field, at)
		}
		return true
	})
	h.lp, h.dict = nil, dict
	if h.st.Recording() {
		h.st.record(func() {
			h.lp, h.dict = lp, nil
			if t != nil {
				t.byField, t.order = nil, nil
			}
		})
	}
}

func (h *Hash) clone() Object {
	c := &Hash{st: h.st}
	if h.times != nil {
		c.times = &fieldTimes{}
		c.times.alarm.obj = c
	}
	if h.dict == nil {
		c.lp = h.lp.Clone()
		return c
	}
	if h.times != nil {
		c.times.byField = map[string]*Entry{}
	}
	c.dict = newDict[string](h.st)
	h.each(func(field, value string, at int64) bool {
		setText(c.dict, field, value)
		if at != 0 {
			c.times.add(field, at)
		}
		return true
	})
	return c
}

func (h *Hash) check() error {
	if err := h.checkTimes(); err != nil {
		return err
	}
	if h.dict != nil {
		if h.lp != nil {
			return fmt.Errorf("hash: has both the compact and the large form")
		}
		if err := h.checkTexts(); err != nil {
			return err
		}
		return h.dict.Check()
	}
	if err := listpack.Validate(h.lp, true); err != nil {
		return err
	}
	return h.checkListpack()
}

// checkTexts verifies the counted size of fields and values of the large form.
func (h *Hash) checkTexts() error {
	sum := 0
	h.dict.All(func(field, value string) bool {
		sum += textSize(len(field)) + textSize(len(value))
		return true
	})
	if sum != h.dict.Texts {
		return fmt.Errorf("hash: texts of %d bytes, counted %d", sum, h.dict.Texts)
	}
	return nil
}

// checkListpack verifies that the fields of the compact form are distinct and that each has a
// value.
func (h *Hash) checkListpack() error {
	if h.lp.Len()%h.width() != 0 {
		return fmt.Errorf("hash: %d texts", h.lp.Len())
	}
	fields := make(map[string]struct{}, h.Len())
	var err error
	h.each(func(field, _ string, _ int64) bool {
		if _, twice := fields[field]; twice {
			err = fmt.Errorf("hash: field %q twice", field)
		}
		fields[field] = struct{}{}
		return err == nil
	})
	return err
}
