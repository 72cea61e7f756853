package admin

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// ShutdownRows declares SHUTDOWN.
func ShutdownRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "shutdown", Arity: -1,
			Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.NoMulti | cmdtable.AllowBusy,
			Since: "1.0.0", Group: "server", Complexity: "O(N) when it saves N keys",
			Summary: "Ends the server",
			Syntax:  `[nosave_save(NOSAVE|SAVE)] [NOW>7.0.0] [FORCE>7.0.0] [ABORT>7.0.0]`,
			Handler: shutdown,
		},
	}
}

// shutdown asks the program around the engine to end it, and closes the connection without a reply.
func shutdown(c *server.Ctx) reply.Value {
	var save, nosave, abort, force, others bool
	for _, a := range c.Args[1:] {
		switch strings.ToLower(a) {
		case "save":
			save = true
		case "nosave":
			nosave = true
		case "now":
			others = true
		case "force":
			force, others = true, true
		case "abort":
			abort = true
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	switch {
	case save && nosave, abort && (save || nosave || others):
		return reply.Err(errtext.Syntax)
	case abort:
		return reply.Err("ERR No shutdown in progress.")
	case save && c.Server.BusyError != "":
		return reply.Err(c.Server.BusyError)
	case save && c.Server.Persistence == nil:
		return reply.Err(errtext.NoFiles)
	case !nosave && c.Server.BusyError != "":
		return reply.Err(c.Server.BusyError)
	}
	if c.Server.Shutdown == nil {
		return reply.Err("ERR SHUTDOWN is not supported: the program around the engine ends it")
	}
	c.Server.Log.Warn("User requested shutdown...")
	if p := c.Server.Persistence; p != nil {
		if err := p.Shutdown(server.ShutdownOptions{Save: save, NoSave: nosave, Force: force}); err != nil {
			return reply.Err(err.Error())
		}
	}
	if c.Server.BusyError != "" {
		c.Server.KillScript("ERR Script ended by SHUTDOWN NOSAVE")
	}
	c.Server.Shutdown()
	c.Session.LeaveAfterReply()
	return reply.None()
}
