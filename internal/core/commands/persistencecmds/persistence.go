package persistencecmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func save(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.Save()
}

func bgsave(c *server.Ctx) reply.Value {
	if c.NArg() > 2 || c.NArg() == 2 && !parse.IsToken(c.Args[1], "schedule") {
		return reply.Err(errtext.Syntax)
	}
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.BackgroundSave(c.Session.InExec, c.NArg() == 2)
}

func bgrewriteaof(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Err(errtext.NoFiles)
	}
	return c.Server.Persistence.Rewrite(c.Session.InExec)
}

// lastsave returns the time of the last save. Before the first, and without files, that is the time
// of the start.
func lastsave(c *server.Ctx) reply.Value {
	if c.Server.Persistence == nil {
		return reply.Int(c.Server.Stats.StartMicros / 1e6)
	}
	return reply.Int(c.Server.Persistence.LastSave())
}
