package connectioncmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// clientPause begins a pause, or makes the present one longer and stricter.
func clientPause(c *server.Ctx) reply.Value {
	if c.NArg() > 4 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLIENT HELP.",
			errtext.OneLine(errtext.Cut(c.Args[1], 128)))
	}
	mode := server.PauseAll
	if c.NArg() == 4 {
		switch {
		case parse.IsToken(c.Args[3], "write"):
			mode = server.PauseWrite
		case !parse.IsToken(c.Args[3], "all"):
			return reply.Err("ERR CLIENT PAUSE mode must be WRITE or ALL")
		}
	}
	ms, bad, ok := parse.TimeoutMillis(c.Args[2], c.LongestTimeout())
	if !ok {
		return bad
	}
	c.Server.PauseClients(server.PauseByClient, mode, ms+c.Now()) // as in Redis, a time that overflows has no effect
	return reply.OK()
}

func clientUnpause(c *server.Ctx) reply.Value {
	c.Server.UnpauseClients(server.PauseByClient)
	return reply.OK()
}
