package datastore

// ownKey is a key that a client of a writable replica has given a time to live. The master knows
// nothing of it and sends no DEL: the replica itself must remove it.
type ownKey struct {
	db  *DB
	key string
}

// ownScan is the number of keys that one cycle looks at.
const ownScan = 1000

// OwnExpiring returns the number of keys of a writable replica, set by its own clients, that it
// removes when their time to live has ended. It forgets some of those that were deleted or have no
// time to live any more: a cycle would only do that when the next key expires.
func (s *Store) OwnExpiring() int {
	seen := 0
	for k := range s.own {
		if seen++; seen > ownScan {
			break
		}
		if e, ok := k.db.keys.Get(k.key); !ok || e.expireAt == 0 {
			delete(s.own, k)
		}
	}
	return len(s.own)
}

// ForgetOwn makes the replica leave the removal of all keys to its master.
func (s *Store) ForgetOwn() { s.own, s.ownEarliest = nil, 0 }

// noteOwn remembers a key that gets the expiry time at.
func (db *DB) noteOwn(key string, at int64) {
	s := db.store
	if at == 0 || !s.replica || !s.writable || s.keepExpired {
		return
	}
	if s.own == nil {
		s.own = map[ownKey]struct{}{}
	}
	s.own[ownKey{db, key}] = struct{}{}
	if s.ownEarliest == 0 || at < s.ownEarliest {
		s.ownEarliest = at
	}
}

// expireOwn removes at most limit of the own keys, and returns how many.
func (s *Store) expireOwn(limit int) (n int) {
	seen, next := 0, int64(0)
	for k := range s.own {
		if seen++; n == limit || seen > ownScan {
			next = s.Now() // the rest is looked at soon
			break
		}
		e, ok := k.db.keys.Get(k.key)
		switch {
		case !ok || e.expireAt == 0:
			delete(s.own, k)
		case s.isPast(e.expireAt):
			delete(s.own, k)
			k.db.expire(e)
			n++
		case next == 0 || e.expireAt < next:
			next = e.expireAt
		}
	}
	s.ownEarliest = next
	return n
}
