package datastore

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
)

// DefaultDatabases is the number of databases of a store whose options do not say.
const DefaultDatabases = 16

// ErrWrongType is returned when a key holds another type than the operation needs.
var ErrWrongType = errors.New("datastore: key holds the wrong type of value")

// Options of a store. The zero value works.
type Options struct {
	Databases int         // number of databases; 0 means DefaultDatabases
	Rand      rand.Source // source of random choices; nil means a random seed
	Limits    *Limits     // encoding limits, shared with the caller; nil means DefaultLimits
}

// Limits say until which size an object keeps its compact encoding, and how accesses of keys are counted. They are Redis's
// parameters of the same name. The owner may change them between commands.
type Limits struct {
	HashMaxListpackEntries int // hash-max-listpack-entries
	HashMaxListpackValue   int // hash-max-listpack-value, bytes
	SetMaxIntsetEntries    int // set-max-intset-entries
	ZSetMaxListpackEntries int // zset-max-listpack-entries
	ZSetMaxListpackValue   int // zset-max-listpack-value, bytes
	ListMaxListpackSize    int // list-max-listpack-size: entries, or -1..-5 for 4..64 KiB
	ListCompressDepth      int // list-compress-depth: nodes at each end that are not compressed; 0 for no compression
	ListPackedThreshold    int // bytes from which an element of a list is a node by itself; 0 means 1 GiB
	HLLSparseMaxBytes      int // hll-sparse-max-bytes: of a HyperLogLog
	StreamNodeMaxBytes     int // stream-node-max-bytes; 0 for no limit
	StreamNodeMaxEntries   int // stream-node-max-entries; 0 for no limit

	LFU          bool // maxmemory-policy counts how often keys are used
	LFULogFactor int  // lfu-log-factor
	LFUDecayTime int  // lfu-decay-time, minutes
}

// DefaultLimits are those of Redis 7.0.
func DefaultLimits() *Limits {
	return &Limits{
		LFULogFactor: 10, LFUDecayTime: 1,
		HashMaxListpackEntries: 512, HashMaxListpackValue: 64,
		SetMaxIntsetEntries:    512,
		ZSetMaxListpackEntries: 128, ZSetMaxListpackValue: 64,
		ListMaxListpackSize: -2,
		HLLSparseMaxBytes:   3000,
		StreamNodeMaxBytes:  4096, StreamNodeMaxEntries: 100,
	}
}

// Store is a set of numbered databases with one clock, one random source, one
// change feed and one undo journal.
type Store struct {
	dbs       []*DB
	nowMicros int64
	source    rand.Source // of rng
	rng       *rand.Rand
	seed      maphash.Seed
	limits    *Limits
	texts     *textCache // nil until it is used

	listeners []Listener
	change    Change // the change being told, reused
	dirty     int64
	recording int
	used      int64               // bytes of all keys and values, but for what has become of the open ones
	open      []opened            // each entry once
	reading   bool                // what is looked up is not changed
	openSet   map[*Entry]struct{} // the same entries when they are many
	scratch   []byte              // the entry of a stream that is being built
	journal   []func()

	evictions evictionPool
	evictNext int   // the database that a random eviction looks at next
	evicted   int64 // keys evicted

	expiredFields int64 // fields removed because their time had come
	expired       int64 // keys removed because their time had come
	earliest      int64 // no key expires before this time in ms; 0 is never
	touching      uint8 // what is special about lookups; 0: each is an access
	counting      bool  // used is kept
	watching      bool  // open has something to do: counting, or rerun
	rerun         *Rerun
	large         bool // some table is, or was, worth reading ahead
	ahead         aheadRoom
	noActive      bool // active expiry is off (DEBUG SET-ACTIVE-EXPIRE 0)
}

// New returns an empty store. Its clock stands at the Unix epoch until SetNow.
func New(o Options) *Store {
	if o.Databases <= 0 {
		o.Databases = DefaultDatabases
	}
	if o.Rand == nil {
		o.Rand = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	if o.Limits == nil {
		o.Limits = DefaultLimits()
	}
	s := &Store{source: o.Rand, rng: rand.New(o.Rand), seed: maphash.MakeSeed(), limits: o.Limits}
	s.dbs = make([]*DB, o.Databases)
	for i := range s.dbs {
		s.dbs[i] = &DB{store: s, id: i, keys: newKeyTable(s), alarms: new(expiryHeap)}
	}
	return s
}

// Databases is the number of databases.
func (s *Store) Databases() int { return len(s.dbs) }

// DB returns database i, 0 <= i < Databases.
func (s *Store) DB(i int) *DB { return s.dbs[i] }

// SetNow moves the clock: microseconds since the Unix epoch.
func (s *Store) SetNow(micros int64) { s.nowMicros = micros }

// Now is the frozen time in milliseconds since the Unix epoch.
func (s *Store) Now() int64 { return s.nowMicros / 1000 }

// NowMicros is the frozen time in microseconds since the Unix epoch.
func (s *Store) NowMicros() int64 { return s.nowMicros }

// Rand is the store's random source.
func (s *Store) Rand() *rand.Rand { return s.rng }

// Limits returns the encoding limits in force.
func (s *Store) Limits() *Limits { return s.limits }

// SwapDB exchanges the contents of two databases; sessions that selected one
// of them see the other's keys from now on.
func (s *Store) SwapDB(a, b int) {
	if a == b {
		return
	}
	s.Settle()
	x, y := s.dbs[a], s.dbs[b]
	swap := func() {
		x.keys, y.keys = y.keys, x.keys
		x.expires, y.expires = y.expires, x.expires
		x.alarms, y.alarms = y.alarms, x.alarms
		x.slots, y.slots = y.slots, x.slots
		x.used, y.used = y.used, x.used
	}
	swap()
	s.dirty++
	if s.Recording() {
		s.record(swap)
	}
}

// FlushAll empties every database.
func (s *Store) FlushAll() (removed int) {
	for _, db := range s.dbs {
		removed += db.Flush()
	}
	return removed
}

// Expired is the number of keys removed because their time had come.
func (s *Store) Expired() int64 { return s.expired }

// ExpiredFields is the number of fields of hashes removed because their time had come.
func (s *Store) ExpiredFields() int64 { return s.expiredFields }

// ResetExpired sets the counters of Expired, ExpiredFields and Evicted back to zero.
func (s *Store) ResetExpired() { s.expired, s.expiredFields, s.evicted = 0, 0, 0 }

// Check verifies the invariants of the store and returns the first that is broken.
func (s *Store) Check() error {
	s.Settle()
	used := int64(0)
	for _, db := range s.dbs {
		if err := db.check(); err != nil {
			return fmt.Errorf("db %d: %w", db.id, err)
		}
		used += db.used
	}
	if used != s.used {
		return fmt.Errorf("%d bytes in all databases, counted %d", used, s.used)
	}
	if at := s.findEarliest(); at != 0 && (s.earliest == 0 || at < s.earliest) {
		return fmt.Errorf("a key expires at %d, before the earliest time %d", at, s.earliest)
	}
	if s.recording == 0 && len(s.journal) != 0 {
		return fmt.Errorf("%d undo steps outside a recording", len(s.journal))
	}
	return nil
}
