// Package migrate holds the connections over which MIGRATE sends keys to other servers.
//
// A connection stays open for [IdleLimit] after its last use, so that a client which moves many
// keys one by one does not connect for each of them. Only the loop of a server uses a [Sockets] and
// its connections, except [Sockets.Stop]. Reading and writing block the caller for at most the
// time-out of MIGRATE: as in Redis, nothing else may run while keys are on their way.
package migrate
