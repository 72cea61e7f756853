package connectioncmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// monitor makes the session receive a line for every command. A second MONITOR has no reply.
func monitor(c *server.Ctx) reply.Value {
	sess, s := c.Session, c.Server
	switch {
	case c.Door != cmdtable.DoorClient:
		return reply.Err("ERR MONITOR isn't allowed for DENY BLOCKING client")
	case sess.Receive == nil:
		return reply.Err("ERR MONITOR needs a connection, which can receive lines")
	case sess.Monitors:
		return reply.None()
	}
	sess.Monitors, sess.Async = true, !sess.SeparatePushes
	s.Monitors = append(s.Monitors, sess)
	s.UpdateObserved()
	return reply.OK()
}
