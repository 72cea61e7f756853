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
// # Parts
//
// conn reads requests, checks whether they may be sent now, and calls the part that serves them.
// Each part is a type with the state that it owns:
//
//   - sender numbers and writes messages; reporter sends the events of scripts.
//   - target is what the client debugs, launched or attached. An attached target has an
//     interceptor of the scripts of other callers.
//   - execution is the script in progress, and its control.
//   - sources are the scripts that the client knows. breakpoints are the places and reasons to
//     stop.
//   - inspector looks into a stopped script. It describes values with variables, which owns the ids
//     that the client uses at a stop.
//
// # Goroutines
//
// Each connection has three goroutines:
//
//  1. conn.loop handles requests and events one after the other, and writes. It owns conn and its
//     parts, except for those that 2 and the engine share.
//  2. conn.read reads messages. It ends the expression that is being evaluated when the client
//     cancels the request or disconnects: requestTracker.
//  3. execution.forwardEvents passes the events of the session to 1, so that the script never waits
//     for a request.
//
// While the client is attached, the engine's goroutine calls interceptor.choose, which reads the
// attach plan. The plan is immutable and replaced as a whole.
package dap
