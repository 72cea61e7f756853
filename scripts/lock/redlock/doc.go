// Package redlock is a lock over several servers that do not know of each other: who has it on most of them has it, so that it outlives the loss of
// the others. The algorithm, Redlock, is that of github.com/go-redsync/redsync.
//
// It has the shape of package lock, with that one's errors and outcomes, but no fencing tokens: servers that do not know of each other have no number
// that always rises. What must not go wrong when a holder stalls needs one lock with tokens rather than this.
//
// On each node it is one key, redlock:{name}, a string with the lease's id; it expires with the lease.
package redlock
