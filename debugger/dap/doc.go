// Package dap is a server of the Debug Adapter Protocol, with which editors debug. It is built on
// package debugger.
//
// A [Server] serves one connection with [Server.Serve], or all connections that a listener accepts
// with [Server.Listen]. Two tables define what a client may send: the requests in requests.go, and
// the attributes of launch and attach requests in attributes.go.
//
// A client either launches a script on an engine of its own or attaches to the scripts of other
// callers. It attaches to the engine of the server. If the server has no engine, it connects the
// client with another debug adapter and forwards their messages.
//
// # Goroutines
//
// Each connection has three goroutines:
//
//  1. conn.loop handles requests and events one after the other, and writes. It owns all fields of
//     conn, except for those that name another owner.
//  2. conn.read reads messages. It ends the expression that is being evaluated when the client
//     cancels the request or disconnects.
//  3. conn.forwardEvents passes the events of the session to 1, so that the script never waits for
//     a request.
//
// While the client is attached, the engine's goroutine calls conn.choose, which reads the attach
// plan. The plan is immutable and replaced as a whole.
package dap
