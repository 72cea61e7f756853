// Package dap speaks the Debug Adapter Protocol, by which editors debug, on top of package debugger.
//
// A [Server] serves one connection at a time with [Server.Serve], or all that a listener accepts with [Server.Listen]. What a client may ask for is in two tables: the requests in
// requests.go, the attributes of launch and attach in attributes.go.
//
// A client launches a script on an engine of its own, or attaches: to the engine of the server, or, when the server has none, through it to that of another process, with which it
// then talks itself.
//
// # Goroutines
//
// Each connection has
//
//  1. its own, in conn.loop: it alone handles requests and events in turn, writes, and owns all fields of conn that are not said to be another's;
//  2. one that reads messages (conn.read), and ends the expression that is being evaluated when the client takes that back or goes away;
//  3. one that moves the events of the session that is debugged (conn.watch), so that the script never waits for a request to be handled.
//
// The engine's goroutine calls conn.choose when the client is attached; what that reads is the plan, which is replaced as a whole.
package dap
