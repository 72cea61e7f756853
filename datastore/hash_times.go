package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// fieldTimes are the expiry times of a hash's fields. A hash has no fieldTimes until a field gets a
// time. From then on, as in Redis, it keeps them, even if no field has a time any longer.
//
// In the compact form the time is a third entry after each pair, 0 for none; fields with a time
// come first, in ascending order of time. In the large form each field with a time has an Entry in
// a heap, as a key has.
//
// The hash itself has an Entry, the alarm, in the heap db.alarms of its database, at the time of
// its earliest field.
//
// An expired field exists until it is removed: Len counts it and Set overwrites it, but Get, Has,
// All and Scan skip it.
type fieldTimes struct {
	alarm   Entry
	home    *expiryHeap // of the hash's database; nil if the hash is not the value of a key
	byField map[string]*Entry
	order   expiryHeap
}

// width is the number of listpack entries of a field in the compact form: 2, or 3 with expiry
// times.
func (h *Hash) width() int {
	if h.times != nil {
		return 3
	}
	return 2
}

// Timed reports whether a field of the hash may have an expiry time.
func (h *Hash) Timed() bool { return h.times != nil }

// makeTimed gives the hash the form with expiry times.
func (h *Hash) makeTimed() {
	if h.st.limits.LargeTimedHashes && h.dict == nil {
		h.toDict()
	}
	h.times = &fieldTimes{}
	h.times.alarm.obj = h
	lp := h.lp
	if h.dict != nil {
		h.times.byField = map[string]*Entry{}
	} else {
		h.lp = listpack.New(len(lp) + lp.Len())
		for p := lp.First(); p != listpack.None; {
			v := lp.Next(p)
			h.insertTimed(lp.Text(p), lp.Text(v), 0)
			p = lp.Next(v)
		}
	}
	if h.st.Recording() {
		h.st.record(func() {
			h.detach()
			h.times, h.lp = nil, lp
		})
	}
}

// attach makes the hash the value of a key, detach ends that.
func (h *Hash) attach(db *DB, key string) {
	if h.times != nil {
		h.times.home, h.times.alarm.key = db.alarms, key
		h.setAlarm()
	}
}

func (h *Hash) detach() {
	if h.times != nil && h.times.home != nil {
		h.times.home.remove(&h.times.alarm)
		h.times.home = nil
	}
}

// attach and detach attach and detach an entry's value, if it is a hash.
func (e *Entry) attach(db *DB) {
	if h, ok := e.obj.(*Hash); ok && h.times != nil {
		h.attach(db, e.key)
	}
}

func (e *Entry) detach() {
	if h, ok := e.obj.(*Hash); ok {
		h.detach()
	}
}

// setAlarm moves the alarm to the time of the earliest field.
func (h *Hash) setAlarm() {
	if t := h.times; t.home != nil {
		at := h.firstExpire()
		if at != t.alarm.expireAt {
			t.home.set(&t.alarm, at)
			h.st.wakeAt(at)
		}
	}
}

// firstExpire returns the earliest expiry time of all fields, or 0.
func (h *Hash) firstExpire() int64 {
	switch {
	case h.times == nil:
		return 0
	case h.dict == nil:
		if p := h.lp.First(); p != listpack.None {
			return h.timeAt(p)
		}
		return 0
	case len(h.times.order) > 0:
		return h.times.order[0].expireAt
	}
	return 0
}

// firstField returns the field with the earliest expiry time. There must be one.
func (h *Hash) firstField() string {
	if h.dict == nil {
		return h.lp.Text(h.lp.First())
	}
	return h.times.order[0].key
}

// timeAt returns the expiry time of the field at p of the compact form.
func (h *Hash) timeAt(p int) int64 {
	at, _ := h.lp.Int(h.lp.Next(h.lp.Next(p)))
	return at
}

// FieldExpireAt returns the expiry time of field in ms since the epoch, 0 if it has none; ok is
// false if there is no such field. The time may have passed.
func (h *Hash) FieldExpireAt(field string) (at int64, ok bool) {
	switch {
	case h.dict == nil:
		p := h.find(field)
		if p == listpack.None {
			return 0, false
		}
		if h.times == nil {
			return 0, true
		}
		return h.timeAt(p), true
	case h.times != nil:
		if e := h.times.byField[field]; e != nil {
			return e.expireAt, true
		}
	}
	return 0, h.dict.Has(field)
}

// expired reports whether a field has expired. p is its position in the compact form.
func (h *Hash) expired(field string, p int) bool {
	if h.times == nil {
		return false
	}
	if h.dict == nil {
		return h.st.isPast(h.timeAt(p))
	}
	e := h.times.byField[field]
	return e != nil && h.st.isPast(e.expireAt)
}

// insertTimed adds a field to the compact form, at its position in the order of times.
func (h *Hash) insertTimed(field, value string, at int64) {
	p := h.lp.End()
	if at != 0 {
		for q := h.lp.First(); q != listpack.None; {
			v := h.lp.Next(q)
			t := h.lp.Next(v)
			if n, _ := h.lp.Int(t); n == 0 || n >= at {
				p = q
				break
			}
			q = h.lp.Next(t)
		}
	}
	raw := listpack.AppendText(listpack.AppendText(nil, field), value)
	h.lp.Splice(p, 0, listpack.AppendInt(raw, at), 3)
}

// journalCompact journals the bytes of a compact form with times, which is about to change.
func (h *Hash) journalCompact() {
	if h.st.Recording() {
		old := h.lp.Clone()
		h.st.record(func() {
			h.lp = old
			h.setAlarm()
		})
	}
}

// setTimed is set for a compact form with times.
func (h *Hash) setTimed(field, value string, at int64) (added bool) {
	h.journalCompact()
	p := h.find(field)
	switch {
	case p == listpack.None:
		h.insertTimed(field, value, max(at, 0))
	case at < 0 || at == 0 && h.timeAt(p) == 0:
		h.lp.Replace(h.lp.Next(p), value)
	default:
		h.lp.DeleteAt(p, 3)
		h.insertTimed(field, value, at)
	}
	h.setAlarm()
	return p == listpack.None
}

// timeInDict returns the expiry time of a field of the large form, or 0.
func (h *Hash) timeInDict(field string) int64 {
	if h.times != nil {
		if e := h.times.byField[field]; e != nil {
			return e.expireAt
		}
	}
	return 0
}

// add adds the expiry time of a field of the large form that has none.
func (t *fieldTimes) add(field string, at int64) {
	e := &Entry{key: field}
	t.byField[field] = e
	t.order.set(e, at)
}

// setTime sets the expiry time of a field of the large form; 0 removes it.
func (h *Hash) setTime(field string, at int64) {
	t := h.times
	e := t.byField[field]
	old := int64(0)
	switch {
	case e != nil:
		old = e.expireAt
	case at != 0:
		e = &Entry{key: field}
		t.byField[field] = e
	}
	if old == at {
		return
	}
	t.order.set(e, at)
	if at == 0 {
		delete(t.byField, field)
	}
	h.setAlarm()
	if h.st.Recording() {
		h.st.record(func() { h.setTime(field, old) })
	}
}

// TimeFields converts h, the hash of key, to the form in which its fields can have expiry times.
func (db *DB) TimeFields(key string, h *Hash) {
	if h.times == nil {
		h.makeTimed()
		h.attach(db, key)
	}
}

// SetFieldUntil sets a field of h, the hash of key, with an expiry time in ms since the epoch; 0 is
// none. It reports whether the field is new.
func (db *DB) SetFieldUntil(key string, h *Hash, field, value string, at int64) (added bool) {
	if at != 0 {
		db.TimeFields(key, h)
	}
	return h.set(field, value, at)
}

// SetFieldExpire sets the expiry time of a field of h, the hash of key, in ms since the epoch; 0
// removes it. The field must exist. A time in the past is allowed. SetFieldExpire emits nothing.
func (db *DB) SetFieldExpire(key string, h *Hash, field string, at int64) {
	if h.times == nil && at == 0 {
		return
	}
	db.TimeFields(key, h)
	if h.dict != nil {
		h.setTime(field, at)
		return
	}
	p := h.find(field)
	value := h.lp.Text(h.lp.Next(p))
	h.journalCompact()
	h.lp.DeleteAt(p, 3)
	h.insertTimed(field, value, at)
	h.setAlarm()
}

// ExpireFields removes those of fields that have expired from h, the hash of key. It emits the
// event hexpired if it removed any; if no field is left, it deletes the key and emits del. It
// reports whether the hash still exists.
func (db *DB) ExpireFields(key string, h *Hash, fields ...string) bool {
	if h.times == nil || h.firstExpire() == 0 {
		return true
	}
	db.WillChange(key)
	n := h.removeDue(fields)
	if n > 0 {
		db.Notify(ClassHash, "hexpired", key)
	}
	return h.Len() > 0 || !db.DropIfEmpty(key)
}

// DropDueField removes an expired field without an event. It may leave the hash empty.
func (h *Hash) DropDueField(field string) {
	if h.times != nil {
		h.removeDue([]string{field})
	}
}

// removeDue removes those of fields that have expired and returns their number.
func (h *Hash) removeDue(fields []string) (n int) {
	for _, f := range fields {
		if at, _ := h.FieldExpireAt(f); h.st.isPast(at) {
			h.Delete(f)
			n++
		}
	}
	h.st.expiredFields += int64(n)
	return n
}

// ExpireAllFields removes every expired field of h, the hash of key, as ExpireFields does.
func (db *DB) ExpireAllFields(key string, h *Hash) bool {
	_, there := db.expireFields(key, h, h.Len())
	return there
}

// expireFields is ExpireAllFields for at most limit fields; n is the number removed.
func (db *DB) expireFields(key string, h *Hash, limit int) (n int, there bool) {
	if db.store.hides() {
		return 0, true
	}
	if h.st.isPast(h.firstExpire()) {
		db.WillChange(key)
	}
	for n < limit && h.st.isPast(h.firstExpire()) {
		h.Delete(h.firstField())
		n++
	}
	h.st.expiredFields += int64(n)
	if n > 0 {
		db.Notify(ClassHash, "hexpired", key)
	}
	return n, h.Len() > 0 || !db.DropIfEmpty(key)
}
