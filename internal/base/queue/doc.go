// Package queue is an unbounded queue between goroutines that must not wait, such as the loop of an
// engine, and one consumer that may have to, such as the receiver of messages or a socket.
//
// Three queues are made of it: the inbox of a session in process, the outbox of a connection that
// gets push messages, and the events of a debugging session.
//
// # Goroutines
//
// Any goroutine may call the methods. A queue starts one goroutine, the pump, which hands over the
// items in order. It starts with the first item, on behalf of the goroutine that puts it, so that a
// queue to which nothing is sent costs no goroutine. The pump ends after [Queue.End] or
// [Queue.Close], and [Queue.Done] is closed after it.
//
// The channel of Done is made with the queue, the channel of Over by the goroutine that first asks
// for it. This matters to programs that run under testing/synctest.
package queue
