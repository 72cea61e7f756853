package datastore

import (
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/datastore/internal/ztree"
)

// Fork returns an independent copy of s with the same order of keys, fields and members, and the
// same encodings. It has a copy of the limits of s, the random source src, and no listeners. Fork
// must not be called while s is recording.
func (s *Store) Fork(src rand.Source) *Store {
	limits := *s.limits
	c := New(Options{Databases: len(s.dbs), Rand: src, Limits: &limits})
	c.seed, c.large = s.seed, s.large
	c.SetNow(s.NowMicros())
	c.CopyFrom(s)
	c.dirty, c.expired, c.expiredFields, c.evicted, c.evictNext = s.dirty, s.expired, s.expiredFields, s.evicted, s.evictNext
	c.noActive = s.noActive
	return c
}

// SetSource sets the source of random choices.
func (s *Store) SetSource(src rand.Source) { s.source, s.rng = src, rand.New(src) }

// Source returns the source of random choices.
func (s *Store) Source() rand.Source { return s.source }

// CopyFrom replaces the keyspace of s by a copy of the keyspace of from. One of the two must be a
// fork of the other. CopyFrom counts as one change and emits nothing. Neither store may be
// recording.
func (s *Store) CopyFrom(from *Store) {
	s.UpdateUsed()
	for i, db := range s.dbs {
		db.copyFrom(from.dbs[i])
	}
	s.dirty++
	s.earliest = s.findEarliest()
	if s.counting {
		s.used = 0
		for _, db := range s.dbs {
			db.used = int64(db.size())
			s.used += db.used
		}
	}
}

// copyFrom replaces the keys of db by copies of those of from.
func (db *DB) copyFrom(from *DB) {
	db.keys, db.expires, db.alarms = newKeyTable(db.store), make(expiryHeap, len(from.expires)), new(expiryHeap)
	from.keys.All(func(p **Entry) bool {
		old := *p
		e := &Entry{key: old.key, obj: db.store.adopt(old.obj), expireAt: old.expireAt, heapPos: old.heapPos, usage: old.usage}
		q, _ := db.keys.Put(e.key)
		*q = e
		if e.heapPos != 0 {
			db.expires[e.heapPos-1] = e
		}
		e.attach(db)
		return true
	})
	db.keys.CopyIndex(&from.keys.Table)
	if db.slots != nil {
		db.IndexSlots()
	}
}

// adopt returns a copy of o, a value of another store with the same hash seed, for a key of s.
func (s *Store) adopt(o Object) Object {
	switch o := o.(type) {
	case *String:
		c := *o
		if c.enc != encInt {
			c.num, o.lent = 0, true // the bytes are shared; only o keeps the buffer that holds them
		}
		return &c
	case *Set:
		if o.dict != nil {
			return &Set{st: s, dict: o.dict.Clone(&s.large)}
		}
	case *Hash:
		if o.dict != nil {
			return adoptHash(s, o)
		}
	case *ZSet:
		if o.dict != nil {
			c := &ZSet{st: s, dict: o.dict.Clone(&s.large), tree: ztree.New()}
			o.Ascend(0, o.Len(), func(it ZItem) bool { c.tree.Insert(ztree.Item(it)); return true })
			return c
		}
	}
	c := o.clone()
	switch c := c.(type) {
	case *Set:
		c.st = s
	case *Hash:
		c.st = s
	case *ZSet:
		c.st = s
	case *List:
		c.st = s
	case *Stream:
		c.st = s
	}
	return c
}

// adoptHash is adopt for a hash with the hashtable encoding.
func adoptHash(s *Store, o *Hash) *Hash {
	c := &Hash{st: s, dict: o.dict.Clone(&s.large)}
	if o.times != nil {
		c.times = &fieldTimes{byField: map[string]*Entry{}}
		c.times.alarm.obj = c
		for _, e := range o.times.order {
			c.times.add(e.key, e.expireAt)
		}
	}
	return c
}
