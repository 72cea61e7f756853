// Package studio is the debugger as a page: it runs and debugs one script for each Session, and
// speaks JSON. Package web serves it to a browser on this machine; package wasm is the same for a
// page without a server. Package site has the files of the page.
//
// # The protocol
//
// Session.Handle takes a request, an object with the field "op", and returns a response. A response
// has the field "error" if the request could not be done; an error of the script is not one.
//
//	open         the first document, the examples, and what this program can do
//	run          runs a script to its end
//	debug        runs a script to its first line, and stops there
//	step         moves a stopped script: how is in, over, out, back, continue or reverse
//	breakpoints  replaces the breakpoints of a script that is being debugged
//	eval         evaluates Lua at a stop, in a frame
//	stop         ends the script, running or stopped
//	complete     what may be typed at a place
//	hover        what is known about a place
//	check        what the linter finds
//	pack, unpack a document as a short text for links, and back
//
// The answer to run, debug and step is a State. Places in a text are in UTF-16 units, as in
// JavaScript.
//
// # Data
//
// Each run begins with an empty keyspace into which the fixture of the document is loaded. With
// "keep" it begins with what the run before has left. The clock stands still while a script runs.
//
// # Goroutines
//
//  1. Callers of Handle. Those of run, debug, step, breakpoints and eval wait for each other
//     (Session.turn).
//     The others may come while a script runs; stop then ends the script.
//  2. Those of the engine and of the debugger of a run.
package studio
