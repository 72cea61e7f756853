// Package recorder is the proxy of `redmoon record`: clients connect to it, it connects to a server
// for each of them, and what passes is written to a recording (package recording).
//
// The bytes pass unchanged in both directions, and when the recording cannot be written any more
// (disk full, size reached) they still pass.
//
// # Goroutines
//
// One accepts clients. Each connection has two: one reads what the client sends, the other what the
// server sends. A request is written to the recording before its last byte goes to the server, and
// a reply after its first byte has come; the lock of the [recording.Writer] gives the lines their
// order. One goroutine flushes the file.
//
// When a client is gone, the server still gets what the client has sent, and its replies are
// recorded until it closes the connection: so the recording shows what has run.
package recorder
