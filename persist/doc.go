// Package persist keeps the data set of an engine in files, as redis-server does: RDB dumps
// (dump.rdb) and an append-only file of several parts (appendonlydir). A redis-server can start
// from these files, and an engine from those of a redis-server. [New] makes the value of
// engine.Options.Persistence.
//
// The parameters of redis.conf decide what is written: save, dbfilename, appendonly, appendfsync
// and so on; engine.Options.Config and CONFIG SET change them. [Options] sets the most important
// ones.
//
// # What survives
//
// With appendfsync always, a reply leaves only when everything that was written before it is
// flushed to disk; all callers that wait share one flush. With everysec a crash of the machine may
// lose the last second. Dumps hold the state of their moment.
//
// A command, script or transaction is in the files wholly or not at all.
//
// # Errors
//
// If the append-only file cannot be written, writes are refused with MISCONF, and callers whose
// write is not safe get that error in place of their reply: the write may be in the file after a
// restart or not. When the disk can be written again, a new base file is written if data were lost,
// and the engine accepts writes again.
//
// # Goroutines
//
// All state belongs to the goroutine of the engine (the loop). The append-only file has a goroutine
// that writes and flushes it; a dump or base file that is being written has another; and changes of
// the manifest run one after the other on a third. They pass results to the loop.
package persist
