// Package replication lets servers follow each other: it feeds replicas, and it follows a master.
//
// # Vocabulary
//
// The replication stream is the effects of this server (see internal/core/server/effects.go) as
// commands in the protocol, one byte after the other. The replication offset is the number of bytes
// of the stream so far. A replication ID names a history: two servers with the same ID and offset
// hold the same data. A server that was a replica keeps the ID of its former master as second ID,
// up to the offset at which the histories part. The backlog holds the last part of the stream, so
// that a replica whose connection broke can continue (partial resynchronization). A replica that
// cannot continue gets a full copy (full resynchronization).
//
// # Who owns what
//
// [State] is the state of one server. The loop of the engine owns it. Other goroutines own
// connections only:
//
//   - one sender for each replica (sender.go) writes to its connection. It reads blocks of the
//     backlog, which do not change once their bytes are published, and never waits for the loop.
//     The loop never waits for a sender. Replies of a replica (REPLCONF ACK) arrive as commands of
//     its session.
//   - the link to a master, if this server is a replica.
//
// # Masters and replicas
//
// A master collects effects only while it has a backlog, which the first replica makes. A replica
// puts the bytes that it gets from its master into its own backlog unchanged ([State.feedRaw]), so
// that its replicas have the offsets and the ID of the top-level master.
//
// The server knows this package through the interface server.Replication.
package replication
