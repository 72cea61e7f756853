package replicationcmds

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// replicaOf makes the server a replica or a master.
func replicaOf(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil {
		return reply.Err("ERR REPLICAOF not allowed in cluster mode.")
	}
	st := replication.Of(c.Server)
	if st.FailingOver() {
		return reply.Err("ERR REPLICAOF not allowed while failing over.")
	}
	if parse.IsToken(c.Args[1], "no") && parse.IsToken(c.Args[2], "one") {
		if _, _, ok := st.Master(); ok {
			st.Lead()
			c.Server.Log.Info(fmt.Sprintf("MASTER MODE enabled (user request from '%s')", c.Server.Describe(c.Session)))
		}
		return reply.OK()
	}
	port, ok := parse.Int(c.Args[2])
	if !ok || port < 0 || port > 65535 {
		return reply.Err("ERR Invalid master port")
	}
	if !st.CanFollow() {
		return reply.Err("ERR this engine cannot connect to a master")
	}
	if host, p, ok := st.Master(); ok && host == c.Args[1] && p == int(port) {
		c.Server.Log.Info("REPLICAOF would result into synchronization with the master we are already connected with. " +
			"No operation performed.")
		return reply.Status("OK Already connected to specified master")
	}
	st.Follow(c.Args[1], int(port))
	c.Server.Log.Info(fmt.Sprintf("REPLICAOF %s:%d enabled (user request from '%s')", c.Args[1], port, c.Server.Describe(c.Session)))
	return reply.OK()
}

// role describes the part of the server in replication.
func role(c *server.Ctx) reply.Value { return replication.Of(c.Server).Role() }
