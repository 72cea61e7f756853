package connectioncmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// clientUnblock ends the wait of another session, as if its timeout had expired or with an error.
func clientUnblock(c *server.Ctx) reply.Value {
	if len(c.Args) > 4 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLIENT HELP.",
			errtext.OneLine(errtext.Cut(c.Args[1], 128)))
	}
	withError := false
	if len(c.Args) == 4 {
		withError = strings.EqualFold(c.Args[3], "error")
		if !withError && !strings.EqualFold(c.Args[3], "timeout") {
			return reply.Err("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
		}
	}
	id, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	sess := c.Server.Clients.ByID[id]
	if sess == nil || sess.Waiting == nil || sess.Waiting.Delayed {
		return reply.Int(0)
	}
	v := sess.Waiting.TimedOut()
	if withError {
		v = reply.Err("UNBLOCKED client unblocked via CLIENT UNBLOCK")
		c.Server.Stats.Calls.Of(c.Spec.ID).Failed++ // an error was sent while it ran
	}
	if !c.Has(servers.CommandLog) {
		sess.Waiting.Args = nil // Redis does not show them in SLOWLOG either
	}
	c.Server.UnblockWithStats(sess.Waiting, v, 0, true) // Redis counts it as failed with any reply
	return reply.Int(1)
}
