package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// fieldTimes are the expiry times of a hash's fields. A hash has none until a field is given a time; from then on, as in
// Redis, it keeps them, also when no field has a time any more.
//
// In the compact form a time stands as a third entry behind each pair, 0 for none; the fields that have one come first, the
// earliest before the others. In the large form each field with a time has an Entry, which stands in a heap as keys do.
//
// The hash itself stands in the heap of its database by an Entry of its own, the alarm, at the time of its earliest field.
//
// A field whose time has come is there until it is removed: it counts in Len and is overwritten by Set, but Get, Has, All and
// Scan do not show it.
type fieldTimes struct {
	alarm   Entry
	home    *expiryHeap // of the database whose key the hash is under; nil when there is none
	byField map[string]*Entry
	order   expiryHeap
}

// width is the number of entries that a field takes in the compact form.
func (h *Hash) width() int {
	if h.times != nil {
		return 3
	}
	return 2
}

// Timed reports whether a field of the hash may have an expiry time.
func (h *Hash) Timed() bool { return h.times != nil }

// makeTimed gets the hash ready for expiry times.
func (h *Hash) makeTimed() {
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

// attach puts the hash under a key, detach takes it away.
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

// attach and detach an entry's value, if it is a hash.
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

// setAlarm moves the hash to its place in the heap of its database.
func (h *Hash) setAlarm() {
	if t := h.times; t.home != nil {
		at := h.firstExpire()
		if at != t.alarm.expireAt {
			t.home.set(&t.alarm, at)
			h.st.wakeAt(at)
		}
	}
}

// firstExpire is the earliest expiry time of all fields, or 0.
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

// firstField is the field whose time comes first. Caller must know that there is one.
func (h *Hash) firstField() string {
	if h.dict == nil {
		return h.lp.Text(h.lp.First())
	}
	return h.times.order[0].key
}

// timeAt is the time of the field at p of the compact form.
func (h *Hash) timeAt(p int) int64 {
	at, _ := h.lp.Int(h.lp.Next(h.lp.Next(p)))
	return at
}

// FieldExpireAt returns the expiry time of field in ms since the epoch, 0 when it has none; ok is false when there is no
// such field. The time may have come.
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

// dead reports whether the time of a field has come. at is where it stands in the compact form.
func (h *Hash) dead(field string, p int) bool {
	if h.times == nil {
		return false
	}
	if h.dict == nil {
		return h.st.over(h.timeAt(p))
	}
	e := h.times.byField[field]
	return e != nil && h.st.over(e.expireAt)
}

// insertTimed adds a field to the compact form, behind those that expire before it, and those with a time before those without.
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

// keepCompact makes ready for a change of a compact form with times, whose bytes an undo brings back.
func (h *Hash) keepCompact() {
	if h.st.Recording() {
		old := h.lp.Clone()
		h.st.record(func() {
			h.lp = old
			h.setAlarm()
		})
	}
}

// setTimed is Set in a compact form with times: at is the field's time from now on, or negative for that which it has.
func (h *Hash) setTimed(field, value string, at int64) (added bool) {
	h.keepCompact()
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

// timeInDict is the time of a field of the large form, or 0.
func (h *Hash) timeInDict(field string) int64 {
	if h.times != nil {
		if e := h.times.byField[field]; e != nil {
			return e.expireAt
		}
	}
	return 0
}

// add notes the time of a field of the large form that has none yet.
func (t *fieldTimes) add(field string, at int64) {
	e := &Entry{key: field}
	t.byField[field] = e
	t.order.set(e, at)
}

// setTime gives a field of the large form an expiry time; 0 takes it away.
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

// TimeFields brings the hash under key into the form in which its fields can have expiry times.
func (db *DB) TimeFields(key string, h *Hash) {
	if h.times == nil {
		h.makeTimed()
		h.attach(db, key)
	}
}

// SetFieldUntil gives a field of the hash under key a value and an expiry time in ms since the epoch; 0 is none.
func (db *DB) SetFieldUntil(key string, h *Hash, field, value string, at int64) (added bool) {
	if at != 0 {
		db.TimeFields(key, h)
	}
	return h.set(field, value, at)
}

// SetFieldExpire gives a field of the hash under key an expiry time in ms since the epoch; 0 takes it away. Caller must
// know that the field is there. A time in the past is allowed. It emits nothing.
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
	h.keepCompact()
	h.lp.DeleteAt(p, 3)
	h.insertTimed(field, value, at)
	h.setAlarm()
}

// ExpireFields removes those of fields whose time has come, and tells of it with hexpired, and of the key with del when it was
// the last. It reports whether the hash is still there.
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

// DropDueField removes a field whose time has come without a word, though it may have been the last.
func (h *Hash) DropDueField(field string) {
	if h.times != nil {
		h.removeDue([]string{field})
	}
}

// removeDue removes those of fields whose time has come and tells how many.
func (h *Hash) removeDue(fields []string) (n int) {
	for _, f := range fields {
		if at, _ := h.FieldExpireAt(f); h.st.over(at) {
			h.Delete(f)
			n++
		}
	}
	h.st.expiredFields += int64(n)
	return n
}

// ExpireAllFields removes every field of the hash under key whose time has come, as ExpireFields does.
func (db *DB) ExpireAllFields(key string, h *Hash) bool {
	_, there := db.expireFields(key, h, h.Len())
	return there
}

// expireFields is ExpireAllFields of at most limit fields; it tells how many it has removed.
func (db *DB) expireFields(key string, h *Hash, limit int) (n int, there bool) {
	if h.st.over(h.firstExpire()) {
		db.WillChange(key)
	}
	for n < limit && h.st.over(h.firstExpire()) {
		h.Delete(h.firstField())
		n++
	}
	h.st.expiredFields += int64(n)
	if n > 0 {
		db.Notify(ClassHash, "hexpired", key)
	}
	return n, h.Len() > 0 || !db.DropIfEmpty(key)
}
