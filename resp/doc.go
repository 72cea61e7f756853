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
// A server has one goroutine per listener and one per connection, which reads, sends batches to the
// engine, and writes. A connection whose peer does not read has a second one, that writes what is waiting; see
// output.go. While a command of a connection waits (BLPOP), another one reads the socket; see blocked.go. One that
// has subscribed has a goroutine that sends all it receives; see outbox.go.
package resp
