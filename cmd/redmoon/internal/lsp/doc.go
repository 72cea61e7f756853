// Package lsp is a server of the Language Server Protocol 3.17 for scripts, over a pair of streams.
// It translates between the protocol and the packages that know scripts: assist, lint and luafmt.
//
// # Goroutines
//
//   - The reader reads messages, keeps the texts of the open documents, and hands requests to the
//     workers, each with the [snapshot] of its document at that moment. So the order of the client
//     counts, and a request never sees a later text.
//   - The workers answer requests. When all are busy and the queue is full, the reader waits, so
//     that a client cannot make the server grow.
//   - The checker lints, one document at a time, and publishes what it finds.
//
// A panic while a request is answered becomes an error reply; the server goes on.
//
// # Positions
//
// The protocol counts lines and UTF-16 code units, or bytes if the client offers utf-8. Everything
// below this package counts bytes of the text; [textIndex] converts.
package lsp
