package datastore

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
)

// DefaultDatabases is the number of databases of a store if the options do not set one.
const DefaultDatabases = 16

// ErrWrongType is returned if a key holds a value of another type than the operation needs.
var ErrWrongType = errors.New("datastore: key holds the wrong type of value")

// Options of a store. The zero value works.
type Options struct {
	Databases int         // number of databases; 0 means DefaultDatabases
	Rand      rand.Source // source of random choices; nil means a random seed
	Limits    *Limits     // encoding limits, shared with the caller; nil means DefaultLimits
}

// Limits are the sizes up to which values keep a compact encoding, and the parameters of access
// counting. Each is the Redis parameter named in its comment. The owner may change them between
// commands. The zero Limits give every value the large encoding; start from DefaultLimits.
type Limits struct {
	HashMaxListpackEntries int // hash-max-listpack-entries
	HashMaxListpackValue   int // hash-max-listpack-value, bytes
	SetMaxIntsetEntries    int // set-max-intset-entries
	SetMaxListpackEntries  int // set-max-listpack-entries
	SetMaxListpackValue    int // set-max-listpack-value, bytes
	ZSetMaxListpackEntries int // zset-max-listpack-entries
	ZSetMaxListpackValue   int // zset-max-listpack-value, bytes
	ListMaxListpackSize    int // list-max-listpack-size: entries, or -1..-5 for 4..64 KiB
	// list-compress-depth: nodes at each end that are not compressed; 0 disables compression
	ListCompressDepth    int
	ListPackedThreshold  int  // bytes from which a list element is a node by itself; 0 means 1 GiB
	CompactSets          bool // small sets of strings are listpacks, as since Redis 7.2
	CompactLists         bool // short lists are listpacks, as since Redis 7.2
	ShortScores          bool // scores in the compact form and in commands have few digits, as since Redis 7.2
	LargeTimedHashes     bool // a hash has the large form if its fields may have expiry times, as in Valkey 9.0
	NumberFirst          bool // a command chooses the form by the number of its elements, as since Redis 7.2
	LengthFirst          bool // ZADD chooses the form by the length of all its members, as in Valkey 8.0
	DeliveryOrder        bool // groups know the order of deliveries in one ms, as since Redis 8.4
	GapsFromRead         bool // groups look for gaps from what they have read, as since Redis 7.4
	GroupsFromFirst      bool // StreamGroup.Lag knows what was removed before the first entry, as since Redis 7.4
	UnknownBeforeDeleted bool // what a group has read is unknown if a later entry was deleted, as in Valkey 8.1
	HLLSparseMaxBytes    int  // hll-sparse-max-bytes, bytes of a HyperLogLog
	StreamNodeMaxBytes   int  // stream-node-max-bytes; 0 for no limit
	StreamNodeMaxEntries int  // stream-node-max-entries; 0 for no limit
	StreamIDMPDuration   int  // stream-idmp-duration, seconds
	StreamIDMPMaxSize    int  // stream-idmp-maxsize

	LFU          bool // maxmemory-policy is an LFU policy: count how often keys are used
	OwnIntegers  bool // maxmemory is set with an LRU or LFU policy: keys share no small integers
	LFULogFactor int  // lfu-log-factor
	LFUDecayTime int  // lfu-decay-time, minutes

	LazyFree LazyFree // lazyfree-lazy-*
}

// DefaultLimits returns the defaults of Redis 7.0.
func DefaultLimits() *Limits {
	return &Limits{
		LFULogFactor: 10, LFUDecayTime: 1,
		HashMaxListpackEntries: 512, HashMaxListpackValue: 64,
		SetMaxIntsetEntries:   512,
		SetMaxListpackEntries: 128, SetMaxListpackValue: 64,
		ZSetMaxListpackEntries: 128, ZSetMaxListpackValue: 64,
		ListMaxListpackSize: -2,
		HLLSparseMaxBytes:   3000,
		StreamNodeMaxBytes:  4096, StreamNodeMaxEntries: 100, StreamIDMPDuration: 100, StreamIDMPMaxSize: 100,
	}
}

// Store is a set of numbered databases with one clock, one random source, one
// change feed and one undo journal.
type Store struct {
	dbs    []*DB
	time   commandTime
	source rand.Source // of rng
	rng    *rand.Rand
	seed   maphash.Seed
	limits *Limits
	texts  *textCache // allocated at first use

	listeners []Listener
	change    Change // the change passed to listeners, reused
	dirty     int64
	recording int
	// bytes of all keys and values, the open ones as they were when opened; see used.go
	used    int64
	open    []opened            // entries whose values may be changing, each once; see used.go
	reading bool                // values that are looked up now will not be changed
	openSet map[*Entry]struct{} // the entries of open, if they are many
	scratch []byte              // buffer for the stream entry that is being encoded
	journal []func()
	kept    int64 // see JournalSize, as the next two
	put     int64
	copied  int64

	evictions evictionPool
	evictNext int   // the database of the next random eviction
	evicted   int64 // keys evicted

	expiredFields int64 // hash fields removed because they had expired
	expired       int64 // keys removed because they had expired
	lazyFreed     int64 // see LazyFreed
	earliest      int64 // nothing expires before this time, ms since the epoch; 0 is never
	touching      uint8 // bits that make lookups special; 0: each lookup is an access
	counting      bool  // used is maintained
	watching      bool  // open must be called: counting, or a Rerun or an Image is in progress
	rerun         *Rerun
	image         *Image
	large         bool          // some table is, or was, large enough for ReadAhead
	ahead         *aheadBuffers // nil until ReadAhead
	noActive      bool          // DEBUG SET-ACTIVE-EXPIRE 0
	keepExpired   bool          // nothing expires; see SetKeepExpired
	replica       bool          // expired keys are hidden; see SetReplica
	writable      bool          // of a replica
	own           map[ownKey]struct{}
	ownEarliest   int64 // no own key expires before this time, ms since the epoch; 0 is never
	frozen        int64 // ms since the epoch; see Freeze
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
	dbs := make([]DB, o.Databases)
	for i := range s.dbs {
		dbs[i] = DB{store: s, id: i, keys: newKeyTable(s), alarms: new(expiryHeap)}
		s.dbs[i] = &dbs[i]
	}
	return s
}

// Databases is the number of databases.
func (s *Store) Databases() int { return len(s.dbs) }

// DB returns database i, 0 <= i < Databases.
func (s *Store) DB(i int) *DB { return s.dbs[i] }

// Rand is the store's random source.
func (s *Store) Rand() *rand.Rand { return s.rng }

// Limits returns the limits of the store. The owner may change them between commands.
func (s *Store) Limits() *Limits { return s.limits }

// SwapDB exchanges the keys of databases a and b; sessions that have selected one of them now see
// the other's keys.
func (s *Store) SwapDB(a, b int) {
	if a == b {
		return
	}
	s.UpdateUsed()
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

// FlushAll empties every database and returns the number of keys removed.
func (s *Store) FlushAll() (removed int) {
	own, earliest := s.own, s.ownEarliest
	s.OnRollback(func() { s.own, s.ownEarliest = own, earliest })
	s.ForgetOwn()
	for _, db := range s.dbs {
		removed += db.Flush()
	}
	return removed
}

// Expired is the number of keys removed because they had expired.
func (s *Store) Expired() int64 { return s.expired }

// ExpiredFields is the number of hash fields removed because they had expired.
func (s *Store) ExpiredFields() int64 { return s.expiredFields }

// CountExpired counts keys and hash fields that a command has deleted because their new expiry
// times were past.
func (s *Store) CountExpired(keys, fields int64) {
	s.expired += keys
	s.expiredFields += fields
}

// ResetExpired sets the counters Expired, ExpiredFields, Evicted and LazyFreed to zero.
func (s *Store) ResetExpired() { s.expired, s.expiredFields, s.evicted, s.lazyFreed = 0, 0, 0, 0 }

// Check verifies the invariants of the store and returns an error for the first broken one. It
// takes time in proportion to the size of the keyspace.
func (s *Store) Check() error {
	s.UpdateUsed()
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
