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

// String returns the name that TYPE answers.
func (t Type) String() string { return typeNames[t] }

// Object is the value of a key: *String, *List, *Set, *ZSet, *Hash or *Stream.
type Object interface {
	Type() Type
	// Encoding is the name that OBJECT ENCODING answers.
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
	alarms  *expiryHeap // the hashes whose fields expire, by the earliest
	slots   *slotIndex  // nil unless it indexes slots
	used    int64       // bytes of the keys and values; see Store.used
}

// ID is the database's number.
func (db *DB) ID() int { return db.id }

// Store is the store that the database belongs to.
func (db *DB) Store() *Store { return db.store }

// Len is the number of keys, those that have expired but are not yet removed included (as DBSIZE).
func (db *DB) Len() int { return db.keys.Len() }

// ExpiringHashes is the number of hashes with fields that expire.
func (db *DB) ExpiringHashes() int { return len(*db.alarms) }

// Expires is the number of keys with an expiry time.
func (db *DB) Expires() int { return len(db.expires) }

// Peek returns the entry of key, or nil, without counting as an access. A key
// whose time has come is removed first, and its expired event emitted.
func (db *DB) Peek(key string) *Entry {
	e, ok := db.keys.Get(key)
	if !ok {
		return nil
	}
	if db.dead(e) {
		db.expire(e)
		return nil
	}
	return e
}

// dead reports whether e has expired.
func (db *DB) dead(e *Entry) bool { return db.store.over(e.expireAt) }

// Raw returns the entry of key, even if it has expired, or nil. Unlike Peek it does not remove
// expired keys.
func (db *DB) Raw(key string) *Entry {
	e, _ := db.keys.Get(key)
	return e
}

// Has reports whether key is in the database, and whether its time has come though it has not
// been removed yet. It changes nothing.
func (db *DB) Has(key string) (there, dead bool) {
	e, ok := db.keys.Get(key)
	return ok, ok && db.dead(e)
}

// TypeOf is the type of what is under key; it reports false where there is nothing. It changes nothing: a key whose
// time has come counts until it is removed.
func (db *DB) TypeOf(key string) (Type, bool) {
	e, ok := db.keys.Get(key)
	if !ok {
		return 0, false
	}
	return e.obj.Type(), true
}

// Lookup is Peek that counts as an access (OBJECT IDLETIME starts anew).
func (db *DB) Lookup(key string) *Entry {
	e := db.Peek(key)
	if e != nil {
		db.store.touch(e)
	}
	return e
}

// Put stores obj under key, replacing what was there and its expiry time. An old value whose time
// has come expires first. A key that was not there announces new, and a stream that was there that it is gone; beside that it
// emits nothing: the caller knows the event's name.
func (db *DB) Put(key string, obj Object) *Entry {
	e := &Entry{}
	e.init(key, obj, db.store.Now())
	return db.put(e)
}

// put is Put of an entry.
func (db *DB) put(e *Entry) *Entry {
	p, added := db.keys.put(e.key)
	if !added && db.dead(*p) {
		db.expire(*p)
		p, added = db.keys.put(e.key)
	}
	if added {
		*p = e
		db.enter(e)
		db.added(e.key)
		db.open(e)
		return e
	}
	old := *p
	db.setExpire(old, 0)
	db.leave(old)
	*p = e
	if db.store.limits.LFU {
		e.usage = old.usage
	}
	db.enter(e)
	if s := db.store; s.Recording() {
		s.record(func() {
			db.leave(e)
			*db.keys.find(e.key) = old
			db.enter(old)
		})
	}
	db.open(e)
	db.left(e.key, old.obj)
	return e
}

// left announces that a value has left its key, where that is news: who reads a stream may wait at it.
func (db *DB) left(key string, old Object) {
	if _, ok := old.(*Stream); ok {
		db.Notify(ClassGone, "", key)
	}
}

// added journals and announces a key that has just been put into the table.
func (db *DB) added(key string) {
	if db.slots != nil {
		db.slots.add(key)
	}
	if s := db.store; s.Recording() {
		s.record(func() {
			e, _, _ := db.keys.remove(key)
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
	db.close(e)
	if s := db.store; s.Recording() {
		s.record(func() { db.replace(e, old) })
	}
	db.replace(e, obj)
	db.open(e)
	db.left(e.key, old)
}

func (db *DB) replace(e *Entry, obj Object) {
	db.leave(e)
	e.obj = obj
	db.enter(e)
}

// Delete removes key and reports whether it was there. It emits nothing but that a stream is gone.
func (db *DB) Delete(key string) bool {
	e := db.take(key)
	if e == nil {
		return false
	}
	db.left(key, e.obj)
	return true
}

// Move puts the value of e under a key of another or the same database, which is not there, with its expiry time and
// use, and takes it from its own. It emits new, and then that a stream is gone, and nothing else.
func (db *DB) Move(e *Entry, to *DB, key string) {
	at := e.expireAt
	db.take(e.key)
	moved := to.Put(key, e.obj)
	if at != 0 {
		to.SetExpire(moved, at)
	}
	moved.InheritUse(e)
	db.left(e.key, e.obj)
}

// take removes key and returns what was there, or nil.
func (db *DB) take(key string) *Entry {
	e, pos, ok := db.keys.remove(key)
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
		s.record(func() {
			db.keys.insertAt(e, pos)
			if node != nil {
				db.slots.link(node)
			}
			db.schedule(e, at)
			db.enter(e)
		})
	}
	return e
}

// DropIfEmpty deletes key and emits del when its value has no elements left.
func (db *DB) DropIfEmpty(key string) bool {
	e, ok := db.keys.Get(key)
	if !ok || e.obj.Len() > 0 || mayBeEmpty(e.obj) {
		return false
	}
	db.Delete(key)
	db.Emit(ClassGeneric, "del", key)
	return true
}

// mayBeEmpty reports whether a value stays when it has no elements.
func mayBeEmpty(o Object) bool { return o.Type() == TypeString || o.Type() == TypeStream }

// Flush removes every key and tells how many there were. It counts them as changes, but emits
// nothing: no event is about a single key.
func (db *DB) Flush() int {
	n, s := db.keys.Len(), db.store
	s.Settle()
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

// Scan calls f for some entries and returns the next cursor, 0 at the end; see [Dict.Scan].
// Expired entries are passed too: the caller looks each key up again.
func (db *DB) Scan(cursor uint64, f func(*Entry)) uint64 {
	return db.keys.scan(cursor, func(e **Entry) { f(*e) })
}

// All calls f for every entry that has not expired, until f returns false. f must not change
// the database.
func (db *DB) All(f func(*Entry) bool) {
	db.keys.all(func(p **Entry) bool {
		e := *p
		return db.dead(e) || f(e)
	})
}

// RandomKey returns a uniformly chosen live entry, or nil when there is none.
func (db *DB) RandomKey() *Entry {
	for db.keys.Len() > 0 {
		e := *db.keys.at(db.store.rng.IntN(db.keys.Len()))
		if e := db.Peek(e.key); e != nil {
			return e
		}
	}
	return nil
}

// object returns the value of key as a T: the zero T when there is no such key,
// ErrWrongType when it holds another type. It is the one way typed getters look up.
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
	if err := db.keys.check(); err != nil {
		return err
	}
	if db.slots != nil {
		if err := db.slots.check(db.keys); err != nil {
			return err
		}
	}
	expires, alarms := 0, 0
	var err error
	db.keys.all(func(p **Entry) bool {
		e := *p
		key := e.key
		switch {
		case e.obj.Len() == 0 && !mayBeEmpty(e.obj):
			err = fmt.Errorf("key %q: empty %s", key, e.obj.Type())
		case (e.expireAt != 0) != (e.heapPos != 0):
			err = fmt.Errorf("key %q: expires at %d, place %d", key, e.expireAt, e.heapPos)
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
