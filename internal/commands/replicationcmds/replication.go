package replicationcmds

import (
	"github.com/redmoon-lua/redmoon/internal/replication"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func sync(c *server.Ctx) reply.Value { return replication.Of(c.Server).Sync(c) }

func replConf(c *server.Ctx) reply.Value { return replication.Of(c.Server).ReplConf(c) }
