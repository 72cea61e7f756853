// Package reply holds the one neutral reply of Redmoon, [Value], and its error
// form, [Error].
//
// A handler returns a Value; each door (Go API, RESP, redis.call, EXEC) has an
// encoder of its own that turns it into what its caller sees. A Value says what
// was meant (a map, a double, a null), never how RESP2 or RESP3 spells it.
//
// Invariant: a Value is immutable once a handler has returned it. Its strings
// and slices may be shared with other replies; nobody writes to them.
package reply
