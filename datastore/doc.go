// Package datastore is the keyspace of a Redis server: databases of keys with values, expiry times,
// eviction, an undo journal and a change feed. It knows neither Lua nor RESP.
//
// # Vocabulary
//
// A [Store] has numbered databases ([DB]). A database maps keys to entries ([Entry]). An entry has
// a value ([Object]: [String], [List], [Set], [ZSet], [Hash] or [Stream]), an expiry time, and the
// time and frequency of its accesses.
//
// A value begins with a compact encoding (listpack, intset) and changes to a large one (hash table,
// tree) when it passes one of the [Limits]. It never changes back. The encodings have Redis's
// layouts and rules, so that OBJECT ENCODING, DUMP and the order of SCAN show the same as in Redis.
//
// An expired key or field is one whose expiry time has passed. Lookups treat it as missing. It is
// removed at its next lookup or by [Store.ExpireCycle].
//
// Times are in milliseconds since the Unix epoch unless a comment says otherwise. Sizes are in
// bytes.
//
// # Rules for callers
//
// A Store and everything in it belong to one goroutine; there are no locks. The clock does not move
// by itself: the owner sets it with [Store.SetNow] before each command, so that the command sees
// one instant.
//
// A command looks up a value with a typed getter ([DB.Hash], [DB.HashForWrite] ...), changes it
// with the methods of the value, and emits the events. The getters return [ErrWrongType] for a key
// of another type, and nil for a missing key. A pointer to a value is valid until the end of the
// command.
//
// Invariant: a value that has become empty is deleted in the same command ([DB.DropIfEmpty]). No
// empty list, set, sorted set or hash is ever visible. Streams may be empty.
//
// # The change feed
//
// When a command has completed its change of a key, it calls [DB.Emit] with Redis's name of the
// event. The feed passes the [Change] to all listeners: WATCH, keyspace notifications, client
// tracking and others.
//
// # The undo journal
//
// Between [Store.Begin] and [Store.Commit] or [Store.Rollback], every change of a value adds an
// undo step to a journal. Outside of that, the journal costs one test per change. A [Trial] also
// restores the counters, and a [Rerun] also the layouts of tables.
//
// # Stability
//
// The package is a building block of package engine: its API may change at any version
// (docs/compatibility.md).
package datastore
