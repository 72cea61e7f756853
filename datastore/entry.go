package datastore

// Entry is one key of a database.
type Entry struct {
	key      string
	obj      Object
	expireAt int64  // ms since the epoch; 0 is never
	heapPos  int32  // place in db.expires + 1; 0 is none
	usage    uint32 // access frequency at the last access in the upper 8 bits, below it the time of that access by lruClock
}

// Redis measures idle times with a clock of seconds in 24 bits, which turns around every 194 days.
const (
	lruClockBits = 24
	lruClockMax  = 1<<lruClockBits - 1
)

// newKeyFreq is the access frequency with which a key begins.
const newKeyFreq = 5

// lruClock is what that clock shows at a time in ms since the epoch.
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

// Idle is the time in ms, a multiple of 1000, since the entry was last accessed. now is in ms since the epoch.
func (e *Entry) Idle(now int64) int64 {
	clock, at := int64(lruClock(now)), int64(e.usage&lruClockMax)
	if at > clock {
		clock += lruClockMax
	}
	return (clock - at) * 1000
}

// SetIdle makes it so many seconds since the entry was last accessed at now, in ms since the epoch. Times beyond 194
// days are cut as in Redis.
func (e *Entry) SetIdle(seconds, now int64) {
	at := int64(lruClock(now)) - seconds*1000/1000
	if at < 0 {
		at += lruClockMax
	}
	e.usage = e.usage&^lruClockMax | uint32(at&lruClockMax)
}

// InheritUse gives e the access time and frequency of another entry, whose value it has taken over.
func (e *Entry) InheritUse(from *Entry) { e.usage = from.usage }

// SetFreq sets the access frequency.
func (e *Entry) SetFreq(freq uint8) { e.usage = e.usage&lruClockMax | uint32(freq)<<lruClockBits }

// keyTable holds the entries of a database. An entry is found without the table having the key a second time.
type keyTable struct{ table[*Entry] }

func newKeyTable(s *Store) *keyTable {
	return &keyTable{table[*Entry]{seed: s.seed, large: &s.large, keyOf: func(e **Entry) string { return (*e).key }}}
}

// Get returns the entry of key.
func (t *keyTable) Get(key string) (e *Entry, ok bool) {
	if p := t.find(key); p != nil {
		return *p, true
	}
	return nil, false
}
