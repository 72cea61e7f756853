package scriptingcmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func scriptKill(c *server.Ctx) reply.Value { return killRunning(c, false) }

func functionKill(c *server.Ctx) reply.Value { return killRunning(c, true) }

// killRunning stops the running script or, if function is set, the running function. Only another
// client can call it, while the script is busy.
func killRunning(c *server.Ctx, function bool) reply.Value {
	s := c.Server
	switch {
	case s.Run.Busy == "" && s.Owner.KillCompiler(function):
		return reply.OK()
	case s.Run.Busy == "":
		return reply.Err("NOTBUSY No scripts in execution right now.")
	case s.Run.Wrote && !s.Run.MayBeUndone:
		return reply.Err(server.ErrUnkillable)
	case function != (s.Run.Function != ""):
		return reply.Err(s.Run.Busy)
	}
	s.Owner.KillScript(s.KilledByUser(function))
	s.Log.Warn("Lua script killed by user with SCRIPT KILL.")
	return reply.OK()
}
