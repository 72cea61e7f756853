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
	ClassGone                      // no event: a stream has left its key, which was deleted or got another value
	ClassKeyMiss                   // m: a key to be read is not there; no change, and not told by the feed
)

// Change is one completed mutation of a key.
type Change struct {
	DB    *DB
	Key   string
	Class Class
	Event string // Redis's event name: set, del, expire, hset, lpop ...; "" of a change that has none
	Aside bool   // no change of the value in Redis's eyes: WATCH does not notice it
}

// Listener is told of every change, in order, on the owner's goroutine. It must not
// change the store.
type Listener func(*Change)

// Listen adds a listener to the feed, for the life of the store.
func (s *Store) Listen(l Listener) { s.listeners = append(s.listeners, l) }

// Dirty counts the changes since the store was made.
func (s *Store) Dirty() int64 { return s.dirty }

// Emit announces a completed change of key. Every command that changed a key calls it
// once per event, in Redis's order, after the change.
func (db *DB) Emit(class Class, event, key string) {
	db.store.dirty++
	db.Notify(class, event, key)
}

// Touch announces a change that is no event, such as the estimate that PFCOUNT keeps: Class is 0, Event "".
func (db *DB) Touch(key string) { db.Emit(0, "", key) }

// Notify is Emit for a further event of a change that has been counted already, such as the expire
// behind the set of a SET with EX, and for keys whose time has come: Redis does not count those.
func (db *DB) Notify(class Class, event, key string) {
	if s := db.store; len(s.listeners) > 0 {
		s.tell(Change{DB: db, Key: key, Class: class, Event: event})
	}
}

// EmitAside is Emit for what is no change of the value in Redis's eyes, such as that a stream has a consumer more.
func (db *DB) EmitAside(class Class, event, key string) {
	db.store.dirty++
	if s := db.store; len(s.listeners) > 0 {
		s.tell(Change{DB: db, Key: key, Class: class, Event: event, Aside: true})
	}
}

// AddDirty counts n further changes that no event tells of.
func (db *DB) AddDirty(n int64) { db.store.dirty += n }

func (s *Store) tell(ch Change) {
	s.change = ch
	for _, l := range s.listeners {
		l(&s.change)
	}
}

// Mark is a point in the undo journal.
type Mark int

// Recording reports whether mutations are journaled.
func (s *Store) Recording() bool { return s.recording > 0 }

// Begin starts journaling (calls may nest) and returns the present point.
func (s *Store) Begin() Mark {
	s.Settle()
	s.recording++
	return Mark(len(s.journal))
}

// Commit ends the journaling that the matching Begin started and keeps the changes.
func (s *Store) Commit() {
	s.recording--
	if s.recording == 0 {
		clear(s.journal)
		s.journal = s.journal[:0]
	}
}

// Rollback undoes everything since m, newest first, and ends the matching Begin.
// Undoing emits no change; the caller invalidates what depends on the feed.
func (s *Store) Rollback(m Mark) {
	s.Settle()
	depth := s.recording
	s.recording = 0
	for i := len(s.journal) - 1; i >= int(m); i-- {
		s.journal[i]()
		s.journal[i] = nil
	}
	s.journal = s.journal[:m]
	s.recording = depth
	s.earliest = s.findEarliest()
	s.Commit()
}

// record adds an undo step. Call it only when s.Recording, so that the closure is
// not made for nothing:
//
//	if st.Recording() {
//		st.record(func() { h.restore(old) })
//	}
func (s *Store) record(undo func()) { s.journal = append(s.journal, undo) }
