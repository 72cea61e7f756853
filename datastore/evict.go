package datastore

import "slices"

// EvictionRank is the order in which keys are evicted.
type EvictionRank uint8

// The ranks.
const (
	EvictIdle   EvictionRank = iota // least recently used first (LRU)
	EvictRare                       // least frequently used first (LFU)
	EvictSoon                       // earliest expiry time first
	EvictRandom                     // random order
)

// EvictionPolicy is a maxmemory-policy: it chooses which key is evicted next.
type EvictionPolicy struct {
	Rank     EvictionRank
	Volatile bool // only keys that have an expiry time; always so with EvictSoon
	// maxmemory-samples: keys of each database to examine, for EvictIdle and EvictRare
	Samples int
}

// evictionPoolSize is the number of eviction candidates that are remembered.
const evictionPoolSize = 16

// evictionPool holds the best eviction candidates of all samples, in ascending order of score. They
// may have changed or been deleted since.
type evictionPool struct {
	policy EvictionPolicy
	keys   []evictable
}

type evictable struct {
	db    *DB
	key   string
	score int64
}

// Evict removes the key that the policy chooses and emits the event evicted. It reports false if
// there is no such key.
func (s *Store) Evict(p EvictionPolicy) bool {
	var db *DB
	var e *Entry
	switch p.Rank {
	case EvictSoon:
		db, e = s.nextToExpire()
	case EvictRandom:
		db, e = s.randomKey(p.Volatile)
	default:
		db, e = s.leastUsed(p)
	}
	if e == nil {
		return false
	}
	key := e.key
	db.Remove(key, s.limits.LazyFree.Evict)
	s.evicted++
	db.Notify(ClassEvicted, "evicted", key)
	return true
}

// Evicted is the number of keys evicted since the store was made or ResetExpired was called.
func (s *Store) Evicted() int64 { return s.evicted }

// nextToExpire returns the key with the earliest expiry time.
func (s *Store) nextToExpire() (in *DB, first *Entry) {
	for _, db := range s.dbs {
		if len(db.expires) > 0 && (first == nil || db.expires[0].expireAt < first.expireAt) {
			in, first = db, db.expires[0]
		}
	}
	return in, first
}

// randomKey returns a random key, of the next database in turn that has one.
func (s *Store) randomKey(volatile bool) (*DB, *Entry) {
	for range s.dbs {
		db := s.dbs[s.evictNext%len(s.dbs)]
		s.evictNext++
		if e := db.sample(volatile); e != nil {
			return db, e
		}
	}
	return nil, nil
}

// sample returns a uniformly chosen entry, or nil; it may have expired.
func (db *DB) sample(volatile bool) *Entry {
	switch {
	case volatile && len(db.expires) > 0:
		return db.expires[db.store.rng.IntN(len(db.expires))]
	case !volatile && db.keys.Len() > 0:
		return *db.keys.At(db.store.rng.IntN(db.keys.Len()))
	}
	return nil
}

// leastUsed returns approximately the least used key: the best candidate of this and earlier
// samples.
func (s *Store) leastUsed(p EvictionPolicy) (*DB, *Entry) {
	pool := &s.evictions
	if pool.policy.Rank != p.Rank || pool.policy.Volatile != p.Volatile {
		pool.forget()
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
				pool.offer(evictable{db, e.key, s.evictionScore(p, e)})
			}
		}
		if !some {
			pool.forget()
			return nil, nil
		}
		for len(pool.keys) > 0 {
			best := pool.keys[len(pool.keys)-1]
			pool.keys = slices.Delete(pool.keys, len(pool.keys)-1, len(pool.keys))
			e, ok := best.db.keys.Get(best.key)
			if ok && (!p.Volatile || e.expireAt != 0) && s.evictionScore(p, e) >= best.score {
				pool.forgetLarge()
				return best.db, e
			}
		}
	}
}

// evictionScore is the score of e as an eviction candidate; the greatest score is evicted first.
func (s *Store) evictionScore(p EvictionPolicy, e *Entry) int64 {
	if p.Rank == EvictRare {
		return 255 - int64(s.Freq(e))
	}
	return e.Idle(s.LastNow())
}

// keptKey is the size in bytes of the largest key that stays a candidate for the next sample. The
// pool does not notice when a key is deleted.
const keptKey = 1 << 10

func (p *evictionPool) forgetLarge() {
	p.keys = slices.DeleteFunc(p.keys, func(c evictable) bool { return len(c.key) > keptKey })
}

func (p *evictionPool) forget() {
	clear(p.keys)
	p.keys = p.keys[:0]
}

// offer adds a candidate to the pool if it is among the best.
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
