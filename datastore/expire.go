package datastore

import (
	"fmt"
	"math"
)

// SetExpire sets the expiry time of e, in ms since the epoch; 0 removes it. A time in the past is
// allowed: the key is removed at its next access. SetExpire emits nothing.
func (db *DB) SetExpire(e *Entry, at int64) { db.setExpire(e, at) }

func (db *DB) setExpire(e *Entry, at int64) {
	old := e.expireAt
	if old == at {
		return
	}
	db.keep(e)
	db.noteOwn(e.key, at)
	db.schedule(e, at)
	if s := db.store; s.Recording() {
		s.record(func() { db.schedule(e, old) })
	}
}

// schedule moves e to time at in the expiry heap; 0 removes it from the heap.
func (db *DB) schedule(e *Entry, at int64) {
	db.store.wakeAt(at)
	n := len(db.expires)
	db.expires.set(e, at)
	if d := len(db.expires) - n; d != 0 {
		db.count(d * inHeap)
	}
}

// wakeAt lowers NextExpire to at; 0 has no effect.
func (s *Store) wakeAt(at int64) {
	if at != 0 && (s.earliest == 0 || at < s.earliest) {
		s.earliest = at
	}
}

// expire removes an expired entry.
func (db *DB) expire(e *Entry) {
	key := e.key
	db.Remove(key, db.store.limits.LazyFree.Expire)
	db.store.expired++
	db.Notify(ClassExpired, "expired", key)
}

// SetActiveExpire turns the active expiry cycle on (the default) or off.
func (s *Store) SetActiveExpire(on bool) { s.noActive = !on }

// ExpireCycle removes at most limit expired keys and hash fields and returns how many it removed; a
// result equal to limit means that there may be more.
func (s *Store) ExpireCycle(limit int) int {
	n := 0
	if s.noActive || s.hides() {
		if s.replica && !s.noActive && s.expiryTime() >= s.frozen {
			return s.expireOwn(limit)
		}
		return 0
	}
	for _, db := range s.dbs {
		for n < limit && len(db.expires) > 0 && s.isPast(db.expires[0].expireAt) {
			db.expire(db.expires[0])
			n++
		}
		for n < limit && len(*db.alarms) > 0 && s.isPast((*db.alarms)[0].expireAt) {
			alarm := (*db.alarms)[0]
			removed, _ := db.expireFields(alarm.key, alarm.obj.(*Hash), limit-n)
			n += removed
		}
	}
	s.UpdateUsed()
	s.earliest = s.findEarliest()
	return n
}

// isPast reports whether an expiry time, in ms since the epoch, has passed. 0 means no expiry. As
// in Redis, a key still exists in the millisecond in which it expires.
func (s *Store) isPast(at int64) bool { return at != 0 && at < s.expiryTime() && !s.keepExpired }

// SetKeepExpired lets keys and hash fields exist beyond their time to live (true), or not (the
// default). A data set is loaded so: commands of an append-only file decide themselves what is
// removed.
func (s *Store) SetKeepExpired(on bool) {
	s.keepExpired = on
	s.earliest = s.findEarliest()
}

// SetReplica makes the store that of a replica (true) or not (false, the default). Then a key whose
// time to live has ended is missing, but stays until a command of the master removes it. If
// writable is set, a lookup that may be followed by a change (see [Store.SetReading]) removes it,
// too. [Store.SetKeepExpired], which is set while commands of the master run, overrides it.
func (s *Store) SetReplica(on, writable bool) {
	s.replica, s.writable = on, writable
	if !on {
		s.ForgetOwn()
	}
	s.earliest = s.findEarliest()
}

// Freeze keeps the keyspace as it is until a time in ms since the epoch; 0 ends that. A key whose
// time to live ends before is missing, but stays; a lookup that may be followed by a change (see
// [Store.SetReading]) removes it.
func (s *Store) Freeze(until int64) {
	if s.frozen != until {
		s.frozen = until
		s.earliest = s.findEarliest()
	}
}

// hides reports whether keys whose time to live has ended stay, although they are missing.
func (s *Store) hides() bool { return s.replica || s.frozen != 0 && s.expiryTime() < s.frozen }

// IsReplica reports whether SetReplica is on.
func (s *Store) IsReplica() bool { return s.replica }

// expireNow removes an expired entry, unless a replica only hides it.
func (db *DB) expireNow(e *Entry) {
	if s := db.store; !s.hides() || !s.reading && (s.writable || !s.replica) {
		db.expire(e)
	}
}

// NextExpire returns a time in ms since the epoch before which ExpireCycle has nothing to do; 0 if
// nothing expires or active expiry is off. It is called after every command and therefore only a
// lower bound, which ExpireCycle makes exact.
func (s *Store) NextExpire() int64 {
	at := s.earliest
	if s.replica {
		at = s.ownEarliest
	}
	if s.noActive || s.keepExpired || at == 0 {
		return 0
	}
	return max(min(at, math.MaxInt64-1)+1, s.frozen)
}

// findEarliest returns the earliest expiry time of all keys and fields, or 0 if there is none.
func (s *Store) findEarliest() int64 {
	next := int64(0)
	for _, db := range s.dbs {
		for _, h := range []expiryHeap{db.expires, *db.alarms} {
			if len(h) > 0 && (next == 0 || h[0].expireAt < next) {
				next = h[0].expireAt
			}
		}
	}
	return next
}

// expiryHeap is a 4-ary min-heap of the entries that expire, ordered by time. Each entry knows its
// index in the heap, so changing or removing one is O(log n).
type expiryHeap []*Entry

// set moves e to time at, adding or removing it as needed.
func (h *expiryHeap) set(e *Entry, at int64) {
	switch {
	case at == 0:
		h.remove(e)
	case e.heapPos == 0:
		e.expireAt = at
		*h = append(*h, e)
		e.heapPos = int32(len(*h))
		h.up(len(*h) - 1)
	default:
		e.expireAt = at
		i := int(e.heapPos) - 1
		h.up(i)
		h.down(int(e.heapPos) - 1)
	}
}

func (h *expiryHeap) remove(e *Entry) {
	e.expireAt = 0
	if e.heapPos == 0 {
		return
	}
	i, last := int(e.heapPos)-1, len(*h)-1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	e.heapPos = 0
	if i < last {
		h.up(i)
		h.down(i)
	}
}

func (h expiryHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapPos, h[j].heapPos = int32(i+1), int32(j+1)
}

func (h expiryHeap) up(i int) {
	for i > 0 {
		p := (i - 1) / 4
		if h[p].expireAt <= h[i].expireAt {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h expiryHeap) down(i int) {
	for {
		least := i
		for c := 4*i + 1; c <= 4*i+4 && c < len(h); c++ {
			if h[c].expireAt < h[least].expireAt {
				least = c
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

func (h expiryHeap) check() error {
	for i, e := range h {
		if int(e.heapPos) != i+1 || e.expireAt == 0 {
			return fmt.Errorf("expiry heap: index %d has %q of index %d", i+1, e.key, e.heapPos)
		}
		if i > 0 && h[(i-1)/4].expireAt > e.expireAt {
			return fmt.Errorf("expiry heap: %q before its parent", e.key)
		}
	}
	return nil
}

// AverageTTL estimates the mean remaining time, in ms, of the keys with an expiry time, from the
// first 100 of them.
func (db *DB) AverageTTL() int64 {
	n := min(len(db.expires), 100)
	if n == 0 {
		return 0
	}
	sum := int64(0)
	for _, e := range db.expires[:n] {
		sum += max(0, e.expireAt-db.store.Now())
	}
	return sum / int64(n)
}
