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
)

var typeNames = [...]string{"string", "list", "set", "zset", "hash"}

// String returns the name that TYPE answers.
func (t Type) String() string { return typeNames[t] }

// Object is the value of a key: *String, *List, *Set, *ZSet or *Hash.
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

// Entry is one key of a database.
type Entry struct {
	store    *Store
	key      string
	obj      Object
	expireAt int64 // ms since the epoch; 0 is never
	heapPos  int32 // place in db.expires + 1; 0 is none
	freq     int16 // access frequency + 1, where SetFreq has set one
	access   int64 // ms since the epoch of the last access
}

// Key returns the entry's key.
func (e *Entry) Key() string { return e.key }

// Object returns the entry's value.
func (e *Entry) Object() Object { return e.obj }

// ExpireAt is the expiry time in ms since the epoch, or 0 for none.
func (e *Entry) ExpireAt() int64 { return e.expireAt }

// Idle is the time in ms since the entry was last accessed.
func (e *Entry) Idle() int64 { return max(0, e.store.Now()-e.access) }

// lruClockMax is the largest value of the clock of 24 bits that Redis measures idle times with.
const lruClockMax = 1<<24 - 1

// SetIdle makes it so many seconds since the entry was last accessed. Redis's clock for that turns around
// every 194 days, and what is longer is cut as there.
func (e *Entry) SetIdle(seconds int64) {
	clock := e.store.Now() / 1000 & lruClockMax
	at := clock - seconds*1000/1000
	if at < 0 {
		at += lruClockMax
	}
	if at &= 1<<24 - 1; at > clock {
		clock += lruClockMax
	}
	e.access = e.store.Now() - (clock-at)*1000
}

// SetFreq sets the access frequency.
func (e *Entry) SetFreq(freq uint8) { e.freq = int16(freq) + 1 }

// Freq is the access frequency that SetFreq has set; ok is false where it has not.
func (e *Entry) Freq() (freq uint8, ok bool) { return uint8(e.freq - 1), e.freq != 0 }

// DB is one database.
type DB struct {
	store   *Store
	id      int
	keys    *Dict[*Entry]
	expires expiryHeap
}

// ID is the database's number.
func (db *DB) ID() int { return db.id }

// Store is the store that the database belongs to.
func (db *DB) Store() *Store { return db.store }

// Len is the number of keys, those that have expired but are not yet removed included (as DBSIZE).
func (db *DB) Len() int { return db.keys.Len() }

// Expires is the number of keys with an expiry time.
func (db *DB) Expires() int { return len(db.expires) }

// Peek returns the entry of key, or nil, without counting as an access. A key
// whose time has come is removed first, and its expired event emitted.
func (db *DB) Peek(key string) *Entry {
	p := db.keys.Ref(key)
	if p == nil {
		return nil
	}
	e := *p
	if db.dead(e) {
		db.expire(e)
		return nil
	}
	return e
}

// dead reports whether the time of e has come.
func (db *DB) dead(e *Entry) bool { return e.expireAt != 0 && e.expireAt <= db.store.Now() }

// Has reports whether key is in the database, and whether its time has come though it has not
// been removed yet. It changes nothing.
func (db *DB) Has(key string) (there, dead bool) {
	e, ok := db.keys.Get(key)
	return ok, ok && db.dead(e)
}

// Lookup is Peek that counts as an access (OBJECT IDLETIME starts anew).
func (db *DB) Lookup(key string) *Entry {
	e := db.Peek(key)
	if e != nil {
		e.access = db.store.Now()
	}
	return e
}

// Put stores obj under key, replacing what was there and its expiry time. An old value whose time
// has come expires first. Beside that it emits nothing: the caller knows the event's name.
func (db *DB) Put(key string, obj Object) *Entry {
	e := &Entry{store: db.store, key: key, obj: obj, access: db.store.Now()}
	p, added := db.keys.Put(key)
	if !added && db.dead(*p) {
		db.expire(*p)
		p, added = db.keys.Put(key)
	}
	if added {
		*p = e
		db.added(key)
		return e
	}
	old := *p
	db.setExpire(old, 0)
	*p = e
	if s := db.store; s.Recording() {
		s.record(func() { *db.keys.Ref(key) = old })
	}
	return e
}

// added journals a key that has just been put into the table.
func (db *DB) added(key string) {
	if s := db.store; s.Recording() {
		s.record(func() {
			e, _ := db.keys.Delete(key)
			db.expires.remove(e)
		})
	}
}

// Replace gives an existing entry another value and keeps its expiry time.
func (db *DB) Replace(e *Entry, obj Object) {
	if s := db.store; s.Recording() {
		old := e.obj
		s.record(func() { e.obj = old })
	}
	e.obj = obj
}

// Delete removes key and reports whether it was there. It emits nothing.
func (db *DB) Delete(key string) bool {
	e, pos, ok := db.keys.remove(key)
	if !ok {
		return false
	}
	at := e.expireAt
	db.expires.remove(e)
	if s := db.store; s.Recording() {
		s.record(func() {
			db.keys.insertAt(key, e, pos)
			db.schedule(e, at)
		})
	}
	return true
}

// DropIfEmpty deletes key and emits del when its value has no elements left.
func (db *DB) DropIfEmpty(key string) bool {
	e, ok := db.keys.Get(key)
	if !ok || e.obj.Len() > 0 || e.obj.Type() == TypeString {
		return false
	}
	db.Delete(key)
	db.Emit(ClassGeneric, "del", key)
	return true
}

// Flush removes every key and tells how many there were. It counts them as changes, but emits
// nothing: no event is about a single key.
func (db *DB) Flush() int {
	n := db.keys.Len()
	db.store.dirty += int64(n)
	keys, expires := db.keys, db.expires
	db.keys, db.expires = newDict[*Entry](db.store.seed), nil
	if s := db.store; s.Recording() {
		s.record(func() { db.keys, db.expires = keys, expires })
	}
	return n
}

// Scan calls f for some entries and returns the next cursor, 0 at the end; see [Dict.Scan].
// Expired entries are passed too: the caller looks each key up again.
func (db *DB) Scan(cursor uint64, f func(*Entry)) uint64 {
	return db.keys.Scan(cursor, func(_ string, e *Entry) { f(e) })
}

// All calls f for every entry that has not expired, until f returns false. f must not change
// the database.
func (db *DB) All(f func(*Entry) bool) {
	now := db.store.Now()
	db.keys.All(func(_ string, e *Entry) bool {
		if e.expireAt != 0 && e.expireAt <= now {
			return true
		}
		return f(e)
	})
}

// RandomKey returns a uniformly chosen live entry, or nil when there is none.
func (db *DB) RandomKey() *Entry {
	for db.keys.Len() > 0 {
		key, _ := db.keys.Random(db.store.rng)
		if e := db.Peek(key); e != nil {
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
	return t, nil
}

func (db *DB) check() error {
	if err := db.keys.check(); err != nil {
		return err
	}
	expires := 0
	var err error
	db.keys.All(func(key string, e *Entry) bool {
		switch {
		case e.key != key || e.store != db.store:
			err = fmt.Errorf("key %q: entry is of key %q", key, e.key)
		case e.obj.Len() == 0 && e.obj.Type() != TypeString:
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
		return err == nil
	})
	if err == nil && expires != len(db.expires) {
		err = fmt.Errorf("%d keys expire, %d in the heap", expires, len(db.expires))
	}
	if err == nil {
		err = db.expires.check()
	}
	return err
}
