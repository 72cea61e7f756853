package admincmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// shutdown asks the program around the engine to end it, and closes the connection without a reply.
func shutdown(c *server.Ctx) reply.Value {
	var save, nosave, abort, now, force bool
	for _, a := range c.Args[1:] {
		switch strings.ToLower(a) {
		case "save":
			save = true
		case "nosave":
			nosave = true
		case "now":
			now = true
		case "force":
			force = true
		case "abort":
			abort = true
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	st := replication.Of(c.Server)
	switch {
	case save && nosave, abort && (save || nosave || now || force):
		return reply.Err(errtext.Syntax)
	case abort && st.AbortShutdown():
		return reply.OK()
	case abort:
		return reply.Err("ERR No shutdown in progress.")
	case !now && c.Door != cmdtable.DoorClient:
		return reply.Err("ERR SHUTDOWN without NOW or ABORT isn't allowed for DENY BLOCKING client")
	case save && c.Server.Run.Busy != "":
		return reply.Err(c.Server.Run.Busy)
	case save && c.Server.Persistence == nil:
		return reply.Err(errtext.NoFiles)
	case !nosave && c.Server.Run.Busy != "":
		return reply.Err(c.Server.Run.Busy)
	case !c.Server.Owner.MayShutdown():
		return reply.Err("ERR SHUTDOWN is not supported: the program around the engine ends it")
	}
	options := server.ShutdownOptions{Save: save, NoSave: nosave, Force: force}
	return st.Shutdown(c, now, func() error { return end(c.Server, options) })
}

// end writes what a shutdown has to write, and asks the program around the engine to end it.
func end(s *server.Server, o server.ShutdownOptions) error {
	if p := s.Persistence; p != nil {
		if err := p.Shutdown(o); err != nil {
			return err
		}
	}
	if s.Run.Busy != "" {
		s.Owner.KillScript("ERR Script ended by SHUTDOWN NOSAVE")
	}
	s.Owner.Shutdown()
	return nil
}
