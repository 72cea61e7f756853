// Package lock is a lock that one owner has at a time, until it releases the lock or its time to live passes. It runs on an embedded
// engine and on a Redis server or cluster alike.
//
//   - Each acquisition is a [Lease] with a random id, so that nobody releases or renews a lock that has passed to another.
//   - Each has a fencing token: who gets the lock later has the greater one, whether the lock was released, ran out or was lost with the data
//     of its server. What the lock guards refuses tokens smaller than the last one it saw; a [Register] does.
//   - A lease tells by [Lease.Done], or a context, when it has ended; with Options.Watchdog it is renewed until it is released.
//   - [Lock.As] makes it reentrant, Options.Fair serves those who wait in their order.
//
// The keys of a lock share the hash tag {name}:
//
//	lock:{name}            hash: owner, token, a field lease:ID for each hold; expires with the lock
//	lock:{name}:state      hash: the last token, the lease released last; stays, or tokens could repeat
//	lock:{name}:queue      sorted set of the waiters of a fair lock by their turn
//	lock:{name}:deadlines  hash: when each of them loses its turn, in µs, unless it asks again
//
// Package redlock, below this one, spreads a lock over several servers that do not know of each other.
package lock
