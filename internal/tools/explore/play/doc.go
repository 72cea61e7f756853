// Package play runs clients of an engine in every order of their steps: it is the system of
// clients, a clock and an engine for package explore.
//
// A client is a function. It runs on a goroutine of its own, but only one goroutine runs at a time:
// a client that calls the engine waits until the search lets it take this step, then goes on to its
// next call. So a step is a call with the code behind it. Each order has a new engine.
//
// # Actors
//
//   - Clients. A client that waits in the engine (BLPOP) or sleeps cannot take a step until the
//     step of another wakes it; it then runs to its next call within that step.
//   - The clock, if the play has ticks: each step moves it by the next one.
//   - Crashes, one for each client that may crash. Its only step ends the client where it stands.
//     If the client has ended, the step does nothing, and is hidden: that is an order without a
//     crash.
//   - Idleness. When every client waits or sleeps and one of them for a limited time, the clock
//     moves to the end of that time, as it would without a test.
//
// # What commutes
//
// A probe sees the commands of a step, also those of its scripts and transactions; see uses.go. The
// clock commutes with no step of a client, since any code may read it.
//
// # Goroutines
//
// The search runs on the goroutine that calls [Explore], and so do the invariants and what clients
// ask for by [Client.OnSearch]. It hands the turn to a client and waits
// until the client has come to its next call, has begun to wait, sleeps or has ended. The probe
// runs on the goroutine of the engine; what it writes is guarded by game.mu. At the end of a run
// all clients have ended: one that has not is made to end its goroutine at the call where it
// stands.
package play
