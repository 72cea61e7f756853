// Package redlock is a lock over several servers that do not know each other. The owner is the
// caller that has the lock on a majority of them, so the lock survives the loss of the others. The
// algorithm, Redlock, is that of github.com/go-redsync/redsync.
//
// It has the leases, errors and outcomes of package lock, but no fencing tokens: independent
// servers share no number that always rises. If a holder that stalls could do harm, use package
// lock, which has fencing tokens.
//
// On each server the lock is one key, redlock:{name}, a string with the id of the lease. It expires
// with the lease. A lease is released and renewed by scripts, or by DELEX or DELIFEQ and SET with
// IFEQ on a server that has these commands (Redis 8.4, Valkey 9.0 and later) and lets the user run
// them; servers are asked once for each [Lock].
package redlock
