package datastore

import "slices"

// EvictionRank says which keys are evicted first.
type EvictionRank uint8

// The ranks.
const (
	EvictIdle   EvictionRank = iota // those that have not been used for the longest time
	EvictRare                       // those that are used least often
	EvictSoon                       // those whose time comes first
	EvictRandom                     // any
)

// EvictionPolicy chooses keys to be evicted.
type EvictionPolicy struct {
	Rank     EvictionRank
	Volatile bool // only keys that have an expiry time; always so with EvictSoon
	Samples  int  // how many keys of each database are looked at, with EvictIdle and EvictRare
}

// evictionPoolSize is how many keys are remembered as good to be evicted.
const evictionPoolSize = 16

// evictionPool holds the keys that are the best to be evicted of all that samples have shown, in ascending order of score. They
// may have changed since, or be gone.
type evictionPool struct {
	policy EvictionPolicy
	keys   []evictable
}

type evictable struct {
	db    *DB
	key   string
	score int64
}

// Evict removes the key that the policy chooses, announces evicted, and reports whether there was one.
func (s *Store) Evict(p EvictionPolicy) bool {
	var db *DB
	var e *Entry
	switch p.Rank {
	case EvictSoon:
		db, e = s.soonest()
	case EvictRandom:
		db, e = s.anyKey(p.Volatile)
	default:
		db, e = s.leastUsed(p)
	}
	if e == nil {
		return false
	}
	key := e.key
	db.Delete(key)
	s.evicted++
	db.Notify(ClassEvicted, "evicted", key)
	return true
}

// Evicted is the number of keys evicted.
func (s *Store) Evicted() int64 { return s.evicted }

// soonest is the key whose time comes first.
func (s *Store) soonest() (in *DB, first *Entry) {
	for _, db := range s.dbs {
		if len(db.expires) > 0 && (first == nil || db.expires[0].expireAt < first.expireAt) {
			in, first = db, db.expires[0]
		}
	}
	return in, first
}

// anyKey is a random key of one database after the other.
func (s *Store) anyKey(volatile bool) (*DB, *Entry) {
	for range s.dbs {
		db := s.dbs[s.evictNext%len(s.dbs)]
		s.evictNext++
		if e := db.sample(volatile); e != nil {
			return db, e
		}
	}
	return nil, nil
}

// sample is a uniformly chosen entry, or nil; its time may have come.
func (db *DB) sample(volatile bool) *Entry {
	switch {
	case volatile && len(db.expires) > 0:
		return db.expires[db.store.rng.IntN(len(db.expires))]
	case !volatile && db.keys.Len() > 0:
		return *db.keys.at(db.store.rng.IntN(db.keys.Len()))
	}
	return nil
}

// leastUsed is about the least used key: the best of those that this and earlier samples have shown.
func (s *Store) leastUsed(p EvictionPolicy) (*DB, *Entry) {
	pool := &s.evictions
	if pool.policy.Rank != p.Rank || pool.policy.Volatile != p.Volatile {
		pool.keys = pool.keys[:0]
	}
	pool.policy = p
	for {
		some := false
		for _, db := range s.dbs {
			for range p.Samples {
				e := db.sample(p.Volatile)
				if e == nil {
					break
				}
				some = true
				pool.offer(evictable{db, e.key, s.unused(p, e)})
			}
		}
		if !some {
			pool.keys = pool.keys[:0]
			return nil, nil
		}
		for len(pool.keys) > 0 {
			best := pool.keys[len(pool.keys)-1]
			pool.keys = pool.keys[:len(pool.keys)-1]
			e, ok := best.db.keys.Get(best.key)
			if ok && (!p.Volatile || e.expireAt != 0) && s.unused(p, e) >= best.score {
				return best.db, e
			}
		}
	}
}

// unused is how good it is to evict e: more is better.
func (s *Store) unused(p EvictionPolicy, e *Entry) int64 {
	if p.Rank == EvictRare {
		return 255 - int64(s.Freq(e))
	}
	return e.Idle(s.Now())
}

// offer remembers a key if it is among the best.
func (p *evictionPool) offer(c evictable) {
	i := len(p.keys)
	for i > 0 && p.keys[i-1].score >= c.score {
		i--
	}
	for j := range p.keys {
		if p.keys[j].key == c.key && p.keys[j].db == c.db {
			return
		}
	}
	switch {
	case len(p.keys) < evictionPoolSize:
		p.keys = slices.Insert(p.keys, i, c)
	case i > 0:
		copy(p.keys, p.keys[1:i])
		p.keys[i-1] = c
	}
}
