// Package reply has the protocol-independent reply of a command, [Value], and its error form,
// [Error].
//
// A command handler returns a Value; each door (Go API, RESP, redis.call, EXEC) has its own encoder
// for it. A Value says what is meant (a map, a double, a null), not how RESP2 or RESP3 encodes it.
//
// Invariant: a Value is immutable once a handler has returned it. Its strings and slices may be
// shared with other replies and must not be changed.
package reply
