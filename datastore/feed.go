package datastore

// Class groups events as notify-keyspace-events does.
type Class uint16

// The classes; the letter is the flag in notify-keyspace-events.
const (
	ClassGeneric Class = 1 << iota // g: DEL, EXPIRE, RENAME ...
	ClassString                    // $
	ClassList                      // l
	ClassSet                       // s
	ClassHash                      // h
	ClassZSet                      // z
	ClassExpired                   // x
	ClassEvicted                   // e
	ClassStream                    // t
	ClassNew                       // n: a key was created (Redis 7.0)
	// not an event: a stream was deleted, or replaced by another value
	ClassGone
	ClassKeyMiss // m: a key to be read is missing; never emitted by the feed
)

// Change is one completed mutation of a key.
type Change struct {
	DB        *DB
	Key       string
	Class     Class
	Event     string // Redis's event name: set, del, expire, hset, lpop ...; "" if the change has none
	Unwatched bool   // Redis does not count it as a change of the value: WATCH and CLIENT TRACKING ignore it
}

// Listener is called for every change, in order, on the owner's goroutine. It must not change the
// store or keep the pointer.
type Listener func(*Change)

// Listen adds a listener to the feed, for the lifetime of the store.
func (s *Store) Listen(l Listener) { s.listeners = append(s.listeners, l) }

// Dirty is the number of changes since the store was made (rdb_changes_since_last_save).
func (s *Store) Dirty() int64 { return s.dirty }

// Emit counts a completed change of key and notifies the listeners. Every command that changed a
// key calls it once per event, in Redis's order, after the change.
func (db *DB) Emit(class Class, event, key string) {
	db.store.dirty++
	db.Notify(class, event, key)
}

// EmitN is Emit for an event that counts as n changes, n > 0: one for each element.
func (db *DB) EmitN(n int64, class Class, event, key string) {
	db.store.dirty += n
	db.Notify(class, event, key)
}

// EmitWithoutEvent is Emit for a change without an event, for example the estimate that PFCOUNT
// stores: Class is 0, Event "".
func (db *DB) EmitWithoutEvent(key string) { db.Emit(0, "", key) }

// Notify is Emit without counting a change: for a further event of a change that has been counted
// (the expire after the set of SET with EX), and for expired keys, which Redis does not count.
func (db *DB) Notify(class Class, event, key string) {
	if s := db.store; len(s.listeners) > 0 {
		s.notify(Change{DB: db, Key: key, Class: class, Event: event})
	}
}

// EmitUnwatched is Emit for an event that Redis does not count as a change of the value: for
// example, a consumer was added. [Change.Unwatched] is set.
func (db *DB) EmitUnwatched(class Class, event, key string) {
	db.store.dirty++
	if s := db.store; len(s.listeners) > 0 {
		s.notify(Change{DB: db, Key: key, Class: class, Event: event, Unwatched: true})
	}
}

// AddDirty counts n further changes that have no event.
func (db *DB) AddDirty(n int64) { db.store.dirty += n }

func (s *Store) notify(ch Change) {
	s.change = ch
	for _, l := range s.listeners {
		l(&s.change)
	}
}
