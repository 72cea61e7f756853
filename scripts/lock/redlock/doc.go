// Package redlock is a lock over several servers that do not know each other. The owner is who has
// the lock on most of them, so the lock survives the loss of the others. The algorithm, Redlock, is
// that of github.com/go-redsync/redsync.
//
// It has the leases, errors and outcomes of package lock, but no fencing tokens: servers that do
// not know each other have no number that always rises. If a holder that stalls must not do harm,
// use one lock with fencing tokens instead.
//
// On each server the lock is one key, redlock:{name}, a string with the id of the lease. It expires
// with the lease.
package redlock
