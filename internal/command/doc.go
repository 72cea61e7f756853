// Package command declares every command once: a [Spec] row with its handler.
//
// From the rows come the gate's checks, COMMAND INFO and DOCS, key extraction, script checks,
// REPL completion and the linter. Each family has a file with its rows (a function that returns
// []*Spec, listed in table.go) and the handlers beside them.
//
// A handler parses its arguments, calls the datastore and returns a [reply.Value]. It sees its
// [Ctx] and nothing else: no writer, no lock, no goroutine; time stands still while it runs.
//
// All state here ([Server], [Session]) belongs to the goroutine that owns the keyspace.
package command
