// Package replay runs a recording (package recording) on an engine and compares the replies.
//
// # Vocabulary
//
// An operation is what runs as one step: a command, or a transaction from MULTI to EXEC. A
// recording gives for each operation an interval in which the server has run it: after the line of
// the request and before the line of the reply. Two operations overlap if their intervals do, and
// conflict if both touch a key and one may write it. Only the order of operations that overlap and
// conflict is unknown and matters.
//
// # How it works
//
// The window (window.go) reads ahead and makes operations. They run in the order of their replies.
// If operations overlap and conflict, order.go looks for an order in which each has its recorded
// reply: it tries operations on the engine and undoes them (package enginedoor, Try). Later
// operations on the same keys are tried too, because a reply such as OK shows nothing.
//
// The engine's clock stands at the time at which an operation was sent. If the operation has
// another reply then, it is tried at the other times of its interval (attempt.go), so TIME, stream
// IDs and keys that are about to expire have the recorded result.
//
// Commands that wait, such as BLPOP, begin to wait in the engine before the first operation that
// may serve them (run.go), and are served by it.
//
// # What may differ
//
// facts.go derives from the command table which replies have no order, or depend on chance, on the
// clock or on the server. For a script, the commands that it has called decide. Values that a
// script has made of such a reply may differ later: varying.go follows them by key.
//
// The package does not touch other servers or files: commands that reach for them do not run.
package replay
