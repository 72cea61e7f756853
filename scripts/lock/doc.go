// Package lock is a lock that has one owner at a time, until the owner releases it or its time to
// live passes. It runs on an embedded engine, a Redis server and a Redis Cluster alike.
//
//   - Each acquisition is a [Lease] with a random id, so nobody can release or renew a lock that
//     has passed to another owner.
//   - Each acquisition has a fencing token. A later owner has a greater token, whether the lock was
//     released, expired, or was lost with the data of its server. What the lock guards must refuse
//     a token smaller than the last one it saw; a [Register] does.
//   - [Lease.Done], or a context, ends when the lease ends. With Options.Watchdog a lease is
//     renewed until it is released.
//   - [Lock.As] makes the lock reentrant. Options.Fair serves waiters in their order.
//
// The keys of a lock share the hash tag {name}:
//
//	lock:{name}            hash: owner, token, a field lease:ID for each lease; expires with the lock
//	lock:{name}:state      hash: the last token, the lease released last; does not expire, because
//	                       tokens could repeat
//	lock:{name}:queue      sorted set: the waiters of a fair lock by their turn
//	lock:{name}:deadlines  hash: when each waiter loses its turn, in µs, unless it asks again
//
// Package redlock spreads a lock over several servers that do not know each other.
package lock
