package replicationcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"role":      role,
		"replicaof": replicaOf,
		"slaveof":   replicaOf,
		"sync":      sync,
		"psync":     sync,
		"replconf":  replConf,
		"failover":  failover,
	}
}
