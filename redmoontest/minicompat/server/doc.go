// Package server has the names of miniredis's package server that a test reaches through
// Miniredis.Server: hooks that see every command, and commands of the test's own. A test that
// imports "github.com/alicebob/miniredis/v2/server" imports this package instead.
//
// The handlers run on the goroutine of their connection, so a handler that sleeps delays its own
// client only. A hook also sees the commands that scripts call; then the whole engine waits for it,
// it must not call the Miniredis, and of its replies only errors count.
package server
