package clustercmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// inCluster returns a handler that replies with an error unless the cluster is on.
func inCluster(h server.Handler) server.Handler {
	return func(c *server.Ctx) reply.Value {
		if c.Server.Cluster == nil {
			return reply.Err("ERR This instance has cluster support disabled")
		}
		return h(c)
	}
}

// This node serves every slot, so no client is redirected.
func asking(*server.Ctx) reply.Value { return reply.OK() }

func readOnly(c *server.Ctx) reply.Value {
	c.Session.ReadOnly = true
	return reply.OK()
}

func readWrite(c *server.Ctx) reply.Value {
	c.Session.ReadOnly = false
	return reply.OK()
}
