// Package resp speaks RESP, the protocol of Redis: RESP2 and RESP3, for servers and for clients.
//
// [Append] and [Decoder] turn replies into bytes and back. [Server] puts an engine behind a
// TCP or unix socket, so that redis-cli and every Redis client can use it.
//
// # Vocabulary
//
// A request is one command of a client, multibulk (an array of bulk strings) or inline (a line of
// words). All requests that have arrived together make one batch, which travels to the engine in one
// send; its replies are written together. A protocol error is an error in the bytes of a request: it is answered
// and ends the connection.
//
// # Goroutines
//
// On Linux a server has one goroutine, the poller, that accepts and serves all plain connections in
// the order in which requests arrive; see poller_linux.go. Work that must wait for a client runs on
// another goroutine: sending replies to a client that does not read (output.go), a debugger, and
// the last replies before a close.
//
// Each TLS or in-memory connection, and on other systems each connection, has a goroutine that
// reads, sends batches to the engine, and writes. While a command of such a connection waits
// (BLPOP), another goroutine reads the socket; see blocked.go.
//
// A connection that has subscribed has another goroutine, which sends its messages; see outbox.go.
package resp
