// Package resp implements RESP, the protocol of Redis, in the versions RESP2 and RESP3, for servers
// and clients.
//
// [Append] and [Decoder] encode and decode replies. [Server] serves an engine on TCP or unix
// sockets, with or without TLS, so that redis-cli and every Redis client can use it. [Server.Dial]
// connects a client in the same process without a socket.
//
// # Vocabulary
//
// A request is one command of a client, either multibulk (an array of bulk strings) or inline (a
// line of words). All requests that have arrived together form one batch. The engine runs a batch
// in one call, and its replies are written together. A protocol error is a malformed request: the
// server sends an error and closes the connection.
//
// # Goroutines
//
// On Linux a server has one goroutine, the poller, that accepts and serves all plain connections in
// the order in which requests arrive; see poller_linux.go. Work that must wait for a client runs on
// another goroutine: sending replies to a client that does not read (output.go), a debugger, and
// the last replies before a close.
//
// Each TLS or in-memory connection, and on other systems each connection, has a goroutine that
// reads, sends batches to the engine, and writes. While a command of such a connection is blocked
// (BLPOP), another goroutine reads the socket; see blocked.go.
//
// A connection that gets push messages (SUBSCRIBE, MONITOR, CLIENT TRACKING) has another goroutine,
// which sends them; see outbox.go.
package resp
