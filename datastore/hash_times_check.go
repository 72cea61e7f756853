package datastore

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// checkTimes verifies the expiry times of fields: their order, and that each of the large form
// belongs to an existing field.
func (h *Hash) checkTimes() error {
	t := h.times
	if t == nil {
		return nil
	}
	if h.dict == nil {
		if len(t.byField)+len(t.order) > 0 {
			return fmt.Errorf("hash: %d fields with times beside the compact form", len(t.order))
		}
		return h.checkOrder()
	}
	if len(t.byField) != len(t.order) {
		return fmt.Errorf("hash: %d fields with times, %d in the heap", len(t.byField), len(t.order))
	}
	for _, e := range t.order {
		if t.byField[e.key] != e || !h.dict.Has(e.key) {
			return fmt.Errorf("hash: an expiry time for the missing field %q", e.key)
		}
	}
	return t.order.check()
}

// checkOrder verifies that the fields of the compact form are in the order of their times.
func (h *Hash) checkOrder() error {
	last, none := int64(0), false
	for p := h.lp.First(); p != listpack.None; {
		at, ok := h.lp.Int(h.lp.Next(h.lp.Next(p)))
		if !ok || at < 0 || at != 0 && (none || at < last) {
			return fmt.Errorf("hash: the time %d of %q is out of order", at, h.lp.Text(p))
		}
		last, none = at, at == 0
		p = h.lp.Next(h.lp.Next(h.lp.Next(p)))
	}
	return nil
}

// checkAlarm verifies that the alarm is in the heap of the database, at the time of the earliest
// field.
func (h *Hash) checkAlarm(db *DB, key string) error {
	if t := h.times; t != nil && (t.home != db.alarms || t.alarm.key != key || t.alarm.expireAt != h.firstExpire() || t.alarm.obj != h) {
		return fmt.Errorf("key %q: alarm of %q at %d, first field at %d", key, t.alarm.key, t.alarm.expireAt, h.firstExpire())
	}
	return nil
}
