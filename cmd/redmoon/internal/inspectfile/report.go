package inspectfile

import "time"

// Schema is the version of the JSON form of [Report] and [Diff]. Fields are added without a new
// version.
const Schema = 1

// Options say what is inspected.
type Options struct {
	Top   int                   // longest list of keys, prefixes or commands; 0 is an empty list
	Match func(key string) bool // chooses the keys; nil chooses all
	Now   time.Time             // moment from which the time to an expiry is counted
}

func (o Options) chooses(key string) bool { return o.Match == nil || o.Match(key) }

// Report describes a file, or all files of a manifest.
type Report struct {
	Schema   int       `json:"schema"`
	Path     string    `json:"path"`
	Format   Format    `json:"format"`
	At       time.Time `json:"at"`   // Options.Now
	Size     int64     `json:"size"` // bytes of all files
	Files    []File    `json:"files"`
	Damage   []Damage  `json:"damage"`
	Keyspace *Keyspace `json:"keyspace,omitempty"` // of the RDB file
	Commands *Commands `json:"commands,omitempty"` // of the append-only files
}

// Format is the form of a file.
type Format string

// The formats. An append-only file that begins with an RDB file is an AOF.
const (
	RDB      Format = "rdb"
	AOF      Format = "aof"
	Manifest Format = "manifest"
)

// File is one of the files of a report.
type File struct {
	Path     string `json:"path"`
	Format   Format `json:"format"`
	Role     string `json:"role,omitempty"` // in the manifest: base, incr, history
	Seq      int64  `json:"seq,omitempty"`
	Size     int64  `json:"size"` // bytes
	Whole    int64  `json:"whole"`
	Version  int    `json:"rdb_version,omitempty"`
	Keys     int64  `json:"keys"`     // of the RDB file that were read
	Commands int64  `json:"commands"` // that were read
}

// Damage is a place where a file could not be read further. Everything before it was read and is
// in the report.
type Damage struct {
	Path    string     `json:"path"`
	Kind    DamageKind `json:"kind"`
	Offset  int64      `json:"offset"`             // bytes from the beginning of the file
	Safe    *int64     `json:"safe,omitempty"`     // an append-only file is whole up to here
	Multi   bool       `json:"in_multi,omitempty"` // the place is inside a transaction without EXEC
	Message string     `json:"message"`
}

// DamageKind is what is wrong.
type DamageKind string

// The kinds of damage.
const (
	Truncated   DamageKind = "truncated"
	Corrupt     DamageKind = "corrupt"
	Checksum    DamageKind = "checksum"    // all was read, but a byte has changed
	Unsupported DamageKind = "unsupported" // a later format, or the value of a module
	Unreadable  DamageKind = "unreadable"  // the file system failed, or the file is missing
	Trailing    DamageKind = "trailing"    // bytes follow the end
)

// Totals are sums over keys.
type Totals struct {
	Keys     int64 `json:"keys"`
	Bytes    int64 `json:"bytes"`    // in the file: kind, key and value
	Elements int64 `json:"elements"` // of values except strings and those of modules
	Expires  int64 `json:"expires"`  // keys with an expiry time
}

func (t *Totals) add(o Totals) {
	t.Keys += o.Keys
	t.Bytes += o.Bytes
	t.Elements += o.Elements
	t.Expires += o.Expires
}

// Keyspace describes the keys of an RDB file.
type Keyspace struct {
	Totals
	Version   int        `json:"rdb_version"`
	Aux       []Aux      `json:"aux"`
	Modules   []string   `json:"modules"` // with auxiliary data
	Functions []Function `json:"functions"`
	Databases []Database `json:"databases"`
	Kinds     []Kind     `json:"kinds"`
	Expiry    []Expiry   `json:"expiry"`
	Biggest   []Key      `json:"biggest"` // by bytes
	Longest   []Key      `json:"longest"` // by elements
	Soonest   []Key      `json:"soonest"` // to expire, without those that have expired
	Prefixes  Prefixes   `json:"prefixes"`
}

// Aux is an auxiliary field.
type Aux struct {
	Name  Name `json:"name"`
	Value Name `json:"value"`
}

// Function is a function library.
type Function struct {
	Name  Name  `json:"name"` // its first line
	Bytes int64 `json:"bytes"`
}

// Database sums up a database. DB is -1 for all further databases of a file with too many.
type Database struct {
	DB int `json:"db"`
	Totals
}

// Kind sums up the values of one form.
type Kind struct {
	Type     string `json:"type"`     // as the TYPE command replies, or "module"
	Encoding string `json:"encoding"` // as redis-check-rdb prints it
	Totals
	Length  int64 `json:"length"`  // of strings: sum of their bytes
	Largest int64 `json:"largest"` // bytes in the file
}

// Expiry counts the keys that expire in a period.
type Expiry struct {
	Period string `json:"period"` // expired, within an hour, a day, a week; later, never
	Keys   int64  `json:"keys"`
	Bytes  int64  `json:"bytes"`
}

// Key is one key.
type Key struct {
	DB       int    `json:"db"`
	Key      Name   `json:"key"`
	Type     string `json:"type"`
	Encoding string `json:"encoding"`
	Bytes    int64  `json:"bytes"`
	Elements int64  `json:"elements"`     // of a string its bytes; -1 is unknown
	ExpireAt int64  `json:"expire_at_ms"` // ms since the epoch; 0 is never
}

// Prefixes are the parts of keys up to a colon: of user:1:name, these are user: and user:1:.
type Prefixes struct {
	// Top are the heaviest of one or two parts.
	Top []Prefix `json:"top"`
	// Dropped means that the table was full: light prefixes are missing, the figures of others may be
	// too low.
	Dropped bool `json:"dropped"`

	tree *prefixNode
}

// Prefix sums up the keys that begin with it.
type Prefix struct {
	Prefix Name `json:"prefix"`
	Depth  int  `json:"depth"`
	Totals
}

// Commands describes the commands of append-only files.
type Commands struct {
	Count    int64      `json:"count"`
	Bytes    int64      `json:"bytes"`
	Multi    int64      `json:"transactions"`
	First    *time.Time `json:"first_time,omitempty"` // of the annotations #TS
	Last     *time.Time `json:"last_time,omitempty"`
	Names    []Command  `json:"names"` // most bytes first
	Others   Command    `json:"others"`
	Keys     []Written  `json:"keys"` // most commands first
	Dropped  bool       `json:"dropped"`
	Prefixes Prefixes   `json:"prefixes"` // Keys counts the commands
}

// Command sums up the commands of one name.
type Command struct {
	Name  Name  `json:"name"` // in lower case
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Written is a key that commands name.
type Written struct {
	DB    int   `json:"db"`
	Key   Name  `json:"key"`
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"` // of the commands
}
