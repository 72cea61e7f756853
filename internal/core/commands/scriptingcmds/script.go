package scriptingcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func scriptLoad(c *server.Ctx) reply.Value { return c.Server.Scripts.Load(c, c.Args[2]) }

func scriptExists(c *server.Ctx) reply.Value {
	out := make([]reply.Value, 0, len(c.Args)-2)
	for _, sha := range c.Args[2:] {
		n := int64(0)
		if c.Server.Scripts.Exists(sha) {
			n = 1
		}
		out = append(out, reply.Int(n))
	}
	return reply.Array(out...)
}

func scriptShow(c *server.Ctx) reply.Value {
	source, ok := c.Server.Scripts.Source(c.Args[2])
	if !ok {
		return NoScriptReply(c.Server)
	}
	return reply.Bulk(source)
}

func scriptFlush(c *server.Ctx) reply.Value {
	if len(c.Args) > 3 || len(c.Args) == 3 && !strings.EqualFold(c.Args[2], "sync") && !strings.EqualFold(c.Args[2], "async") {
		return reply.Err("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	}
	if c.FreesLazily(2) {
		c.Server.Store.CountScriptsFreed(c.Server.Scripts.Len())
	}
	c.Server.Scripts.Flush()
	return reply.OK()
}
