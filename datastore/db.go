package datastore

import "fmt"

// Type is the type of a value.
type Type uint8

// The types.
const (
	TypeString Type = iota
	TypeList
	TypeSet
	TypeZSet
	TypeHash
	TypeStream
)

var typeNames = [...]string{"string", "list", "set", "zset", "hash", "stream"}

// String returns the name that the TYPE command replies.
func (t Type) String() string { return typeNames[t] }

// Object is the value of a key: *String, *List, *Set, *ZSet, *Hash or *Stream.
type Object interface {
	Type() Type
	// Encoding is the name that OBJECT ENCODING replies.
	Encoding() string
	// Len is the number of elements; of a string, its bytes.
	Len() int
	// clone returns an independent copy.
	clone() Object
	// check verifies the object's own invariants.
	check() error
}

// Clone returns a copy of o that changes independently, as COPY makes it.
func Clone(o Object) Object { return o.clone() }

// DB is one database.
type DB struct {
	store   *Store
	id      int
	keys    *keyTable
	expires expiryHeap
	alarms  *expiryHeap // the hashes whose fields expire, ordered by their earliest field
	slots   *slotIndex  // nil until IndexSlots
	used    int64       // bytes of the keys and values; see Store.used
}

// ID is the database's number.
func (db *DB) ID() int { return db.id }

// Store is the store that the database belongs to.
func (db *DB) Store() *Store { return db.store }

// Len is the number of keys as DBSIZE counts them: expired keys count until they are removed.
func (db *DB) Len() int { return db.keys.Len() }

// ExpiringHashes is the number of hashes that have a field with an expiry time.
func (db *DB) ExpiringHashes() int { return len(*db.alarms) }

// Expires is the number of keys with an expiry time.
func (db *DB) Expires() int { return len(db.expires) }

// Peek returns the entry of key, or nil. It does not count as an access. An expired key is removed
// first, with the event expired; see [Store.SetReplica] for replicas.
func (db *DB) Peek(key string) *Entry {
	e, ok := db.keys.Get(key)
	if !ok {
		return nil
	}
	if db.expired(e) {
		db.expireNow(e)
		return nil
	}
	return e
}

// expired reports whether e has expired.
func (db *DB) expired(e *Entry) bool { return db.store.isPast(e.expireAt) }

// Raw returns the entry of key, or nil. Unlike Peek it also returns expired keys and does not
// remove them.
func (db *DB) Raw(key string) *Entry {
	e, _ := db.keys.Get(key)
	return e
}

// Has reports whether key is in the database, and whether it has expired but has not been removed
// yet. It changes nothing.
func (db *DB) Has(key string) (ok, expired bool) {
	e, ok := db.keys.Get(key)
	return ok, ok && db.expired(e)
}

// TypeOf returns the type of the value of key; ok is false if there is no such key. It changes
// nothing: an expired key counts until it is removed.
func (db *DB) TypeOf(key string) (Type, bool) {
	e, ok := db.keys.Get(key)
	if !ok {
		return 0, false
	}
	return e.obj.Type(), true
}

// Lookup is Peek, but counts as an access: OBJECT IDLETIME starts again from 0.
func (db *DB) Lookup(key string) *Entry {
	e := db.Peek(key)
	if e != nil {
		db.store.touch(e)
	}
	return e
}

// Put stores obj under key and returns its entry. It replaces the old value and removes the expiry
// time; an old value that has expired is removed first, with the event expired. A new key emits the
// event new, and a replaced stream emits ClassGone. The caller emits the event of the command
// itself.
func (db *DB) Put(key string, obj Object) *Entry {
	e := &Entry{}
	e.init(key, obj, db.store.LastNow())
	return db.put(e)
}

// put is Put for an entry that the caller has made.
func (db *DB) put(e *Entry) *Entry {
	p, added := db.keys.Put(e.key)
	if !added && db.expired(*p) {
		db.expire(*p)
		p, added = db.keys.Put(e.key)
	}
	if added {
		*p = e
		db.enter(e)
		db.keyAdded(e)
		db.open(e)
		return e
	}
	old := *p
	db.store.Discard(old.obj)
	db.keep(old)
	db.setExpire(old, 0)
	db.leave(old)
	*p = e
	if db.store.limits.LFU {
		e.usage = old.usage
	}
	db.enter(e)
	if s := db.store; s.Recording() {
		s.noteKept(old.size())
		s.NotePut(e.size())
		s.record(func() {
			db.leave(e)
			*db.keys.Find(e.key) = old
			db.enter(old)
		})
	}
	db.open(e)
	db.notifyGone(e.key, old.obj)
	return e
}

// notifyGone emits ClassGone if old, which is no longer the value of key, is a stream: a client may
// be blocked on it.
func (db *DB) notifyGone(key string, old Object) {
	if _, ok := old.(*Stream); ok {
		db.Notify(ClassGone, "", key)
	}
}

// keyAdded journals a key that has just been put into the table, and emits the event new.
func (db *DB) keyAdded(e *Entry) {
	key := e.key
	if db.slots != nil {
		db.slots.add(key)
	}
	if s := db.store; s.Recording() {
		s.NotePut(e.size())
		s.record(func() {
			e, _, _ := db.keys.Remove(key)
			if db.slots != nil {
				db.slots.remove(key)
			}
			db.schedule(e, 0)
			db.leave(e)
		})
	}
	db.Notify(ClassNew, "new", key)
}

// Replace gives an existing entry another value and keeps its expiry time.
func (db *DB) Replace(e *Entry, obj Object) {
	old := e.obj
	db.store.Discard(old)
	db.keep(e)
	db.close(e)
	if s := db.store; s.Recording() {
		s.noteKept(sizeOf(old))
		s.NotePut(sizeOf(obj))
		s.record(func() { db.replace(e, old) })
	}
	db.replace(e, obj)
	db.open(e)
	db.notifyGone(e.key, old)
}

func (db *DB) replace(e *Entry, obj Object) {
	db.leave(e)
	e.obj = obj
	db.enter(e)
}

// Delete removes key and reports whether it was there. It emits nothing, except ClassGone for a
// stream. It is for commands that replace or empty a key; see [DB.Remove].
func (db *DB) Delete(key string) bool { return db.Remove(key, db.store.limits.LazyFree.Replace) }

// Remove is Delete for commands whose purpose it is. lazily says whether Redis would free the value
// in the background.
func (db *DB) Remove(key string, lazily bool) bool {
	e := db.take(key)
	if e == nil {
		return false
	}
	db.store.freed(e.obj, lazily)
	db.notifyGone(key, e.obj)
	return true
}

// Move moves the value of e, with its expiry time and access data, to key of database to, which may
// be the same database. key must not exist. Move emits the event new and then, for a stream,
// ClassGone.
func (db *DB) Move(e *Entry, to *DB, key string) {
	at := e.expireAt
	db.take(e.key)
	moved := to.Put(key, e.obj)
	if at != 0 {
		to.SetExpire(moved, at)
	}
	moved.InheritUse(e)
	db.notifyGone(e.key, e.obj)
}

// take removes key and returns its entry, or nil.
func (db *DB) take(key string) *Entry {
	e, pos, ok := db.keys.Remove(key)
	if !ok {
		return nil
	}
	at := e.expireAt
	db.schedule(e, 0)
	db.leave(e)
	var node *slotNode
	if db.slots != nil {
		node = db.slots.remove(key)
	}
	if s := db.store; s.Recording() {
		s.noteKept(e.size())
		s.record(func() {
			db.keys.InsertAt(e, pos)
			if node != nil {
				db.slots.link(node)
			}
			db.schedule(e, at)
			db.enter(e)
		})
	}
	return e
}

// DropIfEmpty deletes key and emits the event del if its value has no elements left. It reports
// whether it did. It does not count a change: those of the elements have been counted.
func (db *DB) DropIfEmpty(key string) bool {
	e, ok := db.keys.Get(key)
	if !ok || e.obj.Len() > 0 || mayBeEmpty(e.obj) {
		return false
	}
	db.Delete(key)
	db.Notify(ClassGeneric, "del", key)
	return true
}

// mayBeEmpty reports whether a key of this type stays when its value has no elements.
func mayBeEmpty(o Object) bool { return o.Type() == TypeString || o.Type() == TypeStream }

// Flush removes every key and returns how many there were. Each counts as a change, but no event is
// emitted.
func (db *DB) Flush() int {
	n, s := db.keys.Len(), db.store
	s.UpdateUsed()
	s.dirty += int64(n)
	keys, expires, alarms, slots, used := db.keys, db.expires, db.alarms, db.slots, int(db.used)
	db.keys, db.expires, db.alarms = newKeyTable(s), nil, new(expiryHeap)
	if slots != nil {
		db.slots = newSlotIndex()
	}
	db.count(-used)
	if s.Recording() {
		s.record(func() {
			db.keys, db.expires, db.alarms, db.slots = keys, expires, alarms, slots
			db.count(used)
		})
	}
	return n
}

// Scan calls f for some entries and returns the next cursor, 0 at the end. An entry that is in the
// database from the first call (cursor 0) to the last is passed to f at least once, however the
// database changes between the calls; it may be passed more than once. f also gets expired entries:
// the caller must look each key up. f must not change the database.
func (db *DB) Scan(cursor uint64, f func(*Entry)) uint64 {
	return db.keys.Scan(cursor, func(e **Entry) { f(*e) })
}

// All calls f for every entry that has not expired, until f returns false. f must not change
// the database.
func (db *DB) All(f func(*Entry) bool) {
	db.keys.All(func(p **Entry) bool {
		e := *p
		return db.expired(e) || f(e)
	})
}

// RandomKey returns a uniformly chosen entry that has not expired, or nil if there is none. On a
// replica, or while the keyspace is frozen, the entry may have expired if all keys have an expiry
// time.
func (db *DB) RandomKey() *Entry {
	for tries := 1; db.keys.Len() > 0; tries++ {
		e := *db.keys.At(db.store.rng.IntN(db.keys.Len()))
		if found := db.Peek(e.key); found != nil {
			return found
		}
		if db.store.hides() && tries >= randomTries && len(db.expires) == db.keys.Len() {
			return e
		}
	}
	return nil
}

// randomTries is the number of expired keys that RandomKey finds on a replica before it returns one
// of them.
const randomTries = 100

// object returns the value of key as a T: the zero T if there is no such key, ErrWrongType if it
// holds another type. All typed getters look up through it.
func object[T Object](db *DB, key string) (t T, err error) {
	e := db.Lookup(key)
	if e == nil {
		return t, nil
	}
	t, ok := e.obj.(T)
	if !ok {
		return t, ErrWrongType
	}
	if !db.store.reading {
		db.open(e)
	}
	return t, nil
}

func (db *DB) check() error {
	if err := db.keys.Check(); err != nil {
		return err
	}
	if db.slots != nil {
		if err := db.slots.check(db.keys); err != nil {
			return err
		}
	}
	expires, alarms := 0, 0
	var err error
	db.keys.All(func(p **Entry) bool {
		e := *p
		key := e.key
		switch {
		case e.obj.Len() == 0 && !mayBeEmpty(e.obj):
			err = fmt.Errorf("key %q: empty %s", key, e.obj.Type())
		case (e.expireAt != 0) != (e.heapPos != 0):
			err = fmt.Errorf("key %q: expires at %d, heap index %d", key, e.expireAt, e.heapPos)
		default:
			if err = e.obj.check(); err != nil {
				err = fmt.Errorf("key %q: %w", key, err)
			}
		}
		if e.expireAt != 0 {
			expires++
		}
		if h, ok := e.obj.(*Hash); ok && err == nil {
			err = h.checkAlarm(db, key)
			if h.firstExpire() != 0 {
				alarms++
			}
		}
		return err == nil
	})
	if err == nil && expires != len(db.expires) {
		err = fmt.Errorf("%d keys expire, %d in the heap", expires, len(db.expires))
	}
	if err == nil && alarms != len(*db.alarms) {
		err = fmt.Errorf("fields of %d hashes expire, %d in the heap", alarms, len(*db.alarms))
	}
	if err == nil {
		err = db.expires.check()
	}
	if err == nil {
		err = db.alarms.check()
	}
	if err == nil {
		err = db.checkUsed()
	}
	return err
}
