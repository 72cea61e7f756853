package settingcmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func configHelp() server.Handler {
	return server.Help("CONFIG",
		"GET <pattern>",
		"    Return parameters matching the glob-like <pattern> and their values.",
		"SET <directive> <value>",
		"    Set the configuration <directive> to <value>.",
		"RESETSTAT",
		"    Reset statistics reported by the INFO command.",
		"REWRITE",
		"    Rewrite the configuration file.",
	)
}

func configResetStat(c *server.Ctx) reply.Value {
	c.Server.ResetStats()
	c.Server.Store.ResetExpired()
	c.Server.Memory.ResetStats()
	c.Server.Clients.Evicted = 0
	if r := c.Server.Replication; r != nil {
		r.ResetCounts()
	}
	return reply.OK()
}

// configRewrite rewrites the configuration file. Lines and comments keep their places; parameters
// that differ from their defaults and have no line are added at the end.
func configRewrite(c *server.Ctx) reply.Value {
	s := c.Server
	if s.ConfigFile == "" {
		return reply.Err("ERR The server is running without a config file")
	}
	if err := s.RewriteFile(false); err != nil {
		return reply.Err("ERR Rewriting config file: " + files.Strerror(err))
	}
	return reply.OK()
}
