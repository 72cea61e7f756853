// Package server runs commands. A [Server] is what all clients share: the keyspace, the
// configuration, statistics, blocked clients, client tracking, Pub/Sub and the access control list.
// A [Session] is the state of one client. A [Control] is the server for those that run it.
//
// [Server.Execute] is the only way to a handler. It runs the checks of the gate (gate.go), then
// calls the handler with a [Ctx].
//
// The goroutine that owns the keyspace owns all state of this package.
package server
