// Package datastore is the keyspace: databases of keys, each holding a string,
// list, set, sorted set, hash or stream, with expiry, versions, an undo journal and a
// change feed. It knows neither Lua nor RESP.
//
// Vocabulary: a [Store] has numbered databases ([DB]); a database maps a key to
// an [Entry]; an entry carries one [Object] and an expiry time.
//
// Who owns what: a Store and everything in it belong to one goroutine. There are no locks.
// Time does not move by itself: the owner sets it with [Store.SetNow], so every command
// and every script sees one frozen instant.
//
// # The change feed
//
// Every mutation passes two narrow places. The object that changes calls record, with
// a function that puts the old state back; this costs a nil check unless somebody wants
// to undo. When a command's change to a key is complete, the command calls [DB.Emit] with
// the event's name; the feed carries it to all listeners (WATCH, notifications, dirty counter).
//
// Invariant: an object that has become empty is deleted from its database in the same
// command ([DB.DropIfEmpty]); no empty list, set, sorted set or hash is ever visible. Streams may be empty.
package datastore
