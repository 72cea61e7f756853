package keycmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// waitReplicas waits until replicas have acknowledged the writes of the session.
func waitReplicas(c *server.Ctx) reply.Value { return replication.Of(c.Server).Wait(c) }

// waitFile waits until the append-only files have the writes of the session.
func waitFile(c *server.Ctx) reply.Value { return replication.Of(c.Server).WaitFile(c) }
