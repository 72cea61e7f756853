package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/hashtable"

// Entry is one key of a database.
type Entry struct {
	key      string
	obj      Object
	expireAt int64  // ms since the epoch; 0 is never
	heapPos  int32  // index in the expiry heap + 1; 0 is none
	usage    uint32 // upper 8 bits: frequency at the last access; lower 24: lruClock then
}

// Redis measures idle times with a 24-bit clock of seconds, which wraps around every 194 days.
const (
	lruClockBits = 24
	lruClockMax  = 1<<lruClockBits - 1
)

// newKeyFreq is the initial access frequency of a key.
const newKeyFreq = 5

// lruClock returns the value of that clock at a time in ms since the epoch.
func lruClock(now int64) uint32 { return uint32(now/1000) & lruClockMax }

// init makes e the entry of a new key.
func (e *Entry) init(key string, obj Object, now int64) {
	e.key, e.obj, e.usage = key, obj, newKeyFreq<<lruClockBits|lruClock(now)
}

// Key returns the entry's key.
func (e *Entry) Key() string { return e.key }

// Object returns the entry's value.
func (e *Entry) Object() Object { return e.obj }

// ExpireAt is the expiry time in ms since the epoch, or 0 for none.
func (e *Entry) ExpireAt() int64 { return e.expireAt }

// Idle returns the time in ms, a multiple of 1000, since the last access. now is in ms since the
// epoch.
func (e *Entry) Idle(now int64) int64 {
	clock, at := int64(lruClock(now)), int64(e.usage&lruClockMax)
	if at > clock {
		clock += lruClockMax
	}
	return (clock - at) * 1000
}

// SetIdle sets the last access to the given seconds before now, which is in ms since the epoch. As
// in Redis, times beyond 194 days wrap around.
func (e *Entry) SetIdle(seconds, now int64) {
	at := int64(lruClock(now)) - seconds*1000/1000
	if at < 0 {
		at += lruClockMax
	}
	e.usage = e.usage&^lruClockMax | uint32(at&lruClockMax)
}

// InheritUse copies the access time and frequency of another entry, whose value e has taken over.
func (e *Entry) InheritUse(from *Entry) { e.usage = from.usage }

// SetFreq sets the access frequency that [Store.Freq] returns.
func (e *Entry) SetFreq(freq uint8) { e.usage = e.usage&lruClockMax | uint32(freq)<<lruClockBits }

// keyTable holds the entries of a database. It finds an entry by the key in the entry and stores no
// second copy of the key.
type keyTable struct {
	hashtable.Table[*Entry]
	image *imageTable // what the image in progress knows of this table; nil without one
}

func newKeyTable(s *Store) *keyTable {
	return &keyTable{Table: hashtable.New(s.seed, func(e **Entry) string { return (*e).key }, &s.large)}
}

// Remove removes key and returns its entry and old position.
func (t *keyTable) Remove(key string) (e *Entry, pos int, ok bool) {
	if t.image != nil {
		t.image.willRemove(key)
	}
	if e, pos, ok = t.Table.Remove(key); ok && t.image != nil {
		t.image.removed(pos, t.Len())
	}
	return e, pos, ok
}

// InsertAt undoes a Remove.
func (t *keyTable) InsertAt(e *Entry, pos int) {
	t.Table.InsertAt(e, pos)
	if t.image != nil {
		t.image.inserted(pos, t.Len()-1)
	}
}

// Get returns the entry of key.
func (t *keyTable) Get(key string) (e *Entry, ok bool) {
	if p := t.Find(key); p != nil {
		return *p, true
	}
	return nil, false
}

// newDict returns an empty table for a value of s.
func newDict[V any](s *Store) *hashtable.Dict[V] { return hashtable.NewDict[V](s.seed, &s.large) }
