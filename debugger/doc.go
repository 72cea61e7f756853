// Package debugger steps through Lua scripts on an engine. A [Session] debugs one script: it stops
// the script at lines, calls and errors, shows and changes its variables, and resumes it, forwards
// or backwards. Package ldb puts the protocol of redis-cli's Lua debugger on top of it, package dap
// the Debug Adapter Protocol of editors.
//
// # Which data
//
// A script that [Start] begins runs on a fork of the engine, unless [Options].Sync is set: the
// engine serves other callers in the meantime, and the script's changes are discarded at the end. A
// script that [Attach] catches was called by a user of the engine and runs on the engine itself.
// While it is stopped the engine serves nobody else, as in a sync session of Redis's debugger.
// [Session.Do] runs commands on the data of the script.
//
// # Stops
//
// A stopped script waits on the engine's own goroutine, which runs the functions that [Session.At]
// and related methods give it. The script is resumed by Continue and the step methods, by Abort or
// Detach, when the context of its call ends, and when its engine is closed.
//
// A line is reached when a function begins, when a line begins, and when a jump goes back, as in
// Redis's debugger. A stop at a line is before the line runs. Stops before commands, after writes
// and at errors are in the middle of a line.
//
// # Going back
//
// [Session.StepBack], [Session.ContinueBack] and [Session.BackTo] restore the state before the
// script and run the script again up to their target. This replay sends no events. The engine
// controls time and random choices, so the script repeats what it did. What the user did with
// [Session.Change] and [Session.Do] at earlier stops is repeated too; what came later, and the
// later stops, are dropped. A function that was given to [Session.At] is not called again: if it
// changes something, the runs differ. Conditions of breakpoints with a hit count are evaluated
// again. Each redis.call must have the same arguments and the same reply as before. If one differs,
// the script stops there, and [Session.Diverged] returns how.
//
// # Goroutines
//
//  1. The engine's goroutine runs the script. It alone uses the run (type run) and the hit counts
//     of breakpoints.
//  2. Any number of callers of a Session's methods. They send work to 1 at a stop (type stop),
//     replace the settings as a whole, and set bits in Session.requests.
//  3. One for each session delivers its events (type eventQueue), until the last one has been
//     received or the session is closed.
//  4. One for each session waits until the engine wants the script to end.
//  5. One for each session that Start has begun waits for the end of the script.
package debugger
