package replicationcmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func sync(c *server.Ctx) reply.Value { return replication.Of(c.Server).Sync(c) }

func replConf(c *server.Ctx) reply.Value { return replication.Of(c.Server).ReplConf(c) }
