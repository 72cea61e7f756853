package keycmds

import (
	"github.com/redmoon-lua/redmoon/internal/replication"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// waitReplicas waits until replicas have acknowledged the writes of the session.
func waitReplicas(c *server.Ctx) reply.Value { return replication.Of(c.Server).Wait(c) }
