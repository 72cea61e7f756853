// Package debugger steps through Lua scripts on an engine. A [Session] is one script that is debugged: it stops at lines, calls and errors, shows what the script
// sees, and goes on, or back. Package ldb speaks the protocol of redis-cli's debugger on top of it, package dap that of editors.
//
// # Whose keyspace
//
// A script that [Start] begins runs on a fork of the engine, unless [Options].Sync says otherwise: others go on meanwhile, and what it wrote is gone at the end. One that [Attach] catches
// was sent by a caller of the engine and runs there. While it is stopped the engine serves nobody else, as in a sync session of Redis's debugger; [Session.Do] runs commands in the
// script's place.
//
// # Stops
//
// The script stands still in the engine's own goroutine, which does meanwhile what [Session.At] and its kin give it. It goes on by an order (Continue, StepIn, ...), by Abort or Detach, when the context of
// its call ends, and when its engine is closed.
//
// A line is reached as Redis's debugger sees it: when a function begins, a line begins, or a jump goes back. A stop at a line is before it runs. Stops before commands, after writes and at errors are in
// the middle of a line; the functions that are in progress are as they were at that moment.
//
// # Back
//
// [Session.StepBack], [Session.ContinueBack] and [Session.BackTo] run the script once more from the state before it, as far as they are to go, without telling anyone. The engine owns time and
// random choices, so it goes the same way. What the user did by [Session.Change] and [Session.Do] at stops before that is done again there; what came later is dropped, as the later stops are. What [Session.At]
// did is not repeated: a function that changes something by it makes the runs differ. Conditions of breakpoints with a count of hits are evaluated again, to count. Each redis.call must
// be the same and answer the same; where one does not the script stops there, and [Session.Diverged] tells.
//
// # Goroutines
//
//  1. The engine's goroutine runs the script. It alone touches a run (type run), and the hits of breakpoints.
//  2. Callers of a Session's methods, any number. They hand work to 1 at a stop (type stop), replace the settings as a whole, and leave requests in Session.asked.
//  3. One for each session hands on its events (type queue), until the last is received or the session is closed.
//  4. One for each session waits for the engine to want the script's end.
//  5. One for each session that Start began waits for the script's end.
package debugger
