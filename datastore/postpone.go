package datastore

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// Postpone moves the expiry time of every key and hash field by d ms, so that all live longer (d >
// 0) or less long (d < 0). It emits nothing, counts as no change, is not undone by a rollback, and
// removes nothing: what has expired then is removed as usual. Times stay within 1 and the greatest
// int64. It takes time in proportion to the number of keys and fields that expire. It is for tests
// whose clock does not age the keyspace.
func (s *Store) Postpone(d int64) {
	if d == 0 {
		return
	}
	for _, db := range s.dbs {
		for _, e := range db.expires {
			db.keep(e)
			e.expireAt = later(e.expireAt, d)
		}
		for _, alarm := range *db.alarms {
			if e, ok := db.keys.Get(alarm.key); ok {
				db.open(e)
			}
			alarm.obj.(*Hash).postpone(d)
		}
	}
	s.earliest = s.findEarliest()
	s.ownEarliest = 0
	for k := range s.own {
		if e, ok := k.db.keys.Get(k.key); ok && e.expireAt != 0 && (s.ownEarliest == 0 || e.expireAt < s.ownEarliest) {
			s.ownEarliest = e.expireAt
		}
	}
}

// later returns the expiry time at moved by d.
func later(at, d int64) int64 {
	if d > 0 && at > math.MaxInt64-d {
		return math.MaxInt64
	}
	return max(at+d, 1)
}

// postpone moves the expiry times of all fields and of the alarm by d. Their order stays the same.
func (h *Hash) postpone(d int64) {
	for _, e := range h.times.order {
		e.expireAt = later(e.expireAt, d)
	}
	if h.dict == nil {
		for p := h.lp.First(); p != listpack.None; {
			p = h.lp.Next(h.lp.Next(p)) // the time, after field and value
			if at, _ := h.lp.Int(p); at != 0 {
				h.lp.ReplaceInt(p, later(at, d))
			}
			p = h.lp.Next(p)
		}
	}
	h.times.alarm.expireAt = h.firstExpire()
}
