package scriptingcmds

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const errDebugPipelined = "ERR SCRIPT DEBUG must be called outside a pipeline"

// scriptDebug turns the debugger for the session's next EVAL on or off, if the server of the
// session has one.
func scriptDebug(c *server.Ctx) reply.Value {
	sess := c.Session
	if c.Door == cmdtable.DoorExec || c.Server.Owner.HasUnsentReplies(sess) {
		return reply.Err(errDebugPipelined)
	}
	if len(c.Args) > 4 {
		return reply.Err("ERR unknown subcommand or wrong number of arguments for 'DEBUG'. Try SCRIPT HELP.")
	}
	if len(c.Args) == 4 && !strings.EqualFold(c.Args[3], "lua") {
		return reply.Err(errtext.OneLine("ERR No scripting engine found with name '" + c.Args[3] + "' to enable debug"))
	}
	mode := server.NotDebugged
	switch strings.ToLower(c.Args[2]) {
	case "no":
	case "yes":
		mode = server.DebugForked
	case "sync":
		mode = server.DebugSync
	default:
		return reply.Err("ERR Use SCRIPT DEBUG YES/SYNC/NO")
	}
	if mode != server.NotDebugged && !sess.Debugging.Allowed {
		return reply.Err("ERR SCRIPT DEBUG needs a connection to a server that has a debugger")
	}
	sess.Debugging.Mode = mode
	return reply.OK()
}

// handOver ends an EVAL of a session in debug mode without a reply. The mode ends too, because the
// connection ends with the script.
func handOver(c *server.Ctx, readOnly bool) reply.Value {
	h := &server.HandedScript{Sync: c.Session.Debugging.Mode == server.DebugSync, ReadOnly: readOnly, Source: c.Args[1]}
	c.Session.Debugging.Mode = server.NotDebugged
	if n, ok := parse.Int(c.Args[2]); !ok {
		h.Error = reply.Err(errtext.NotInteger)
	} else {
		h.Keys, h.Args, h.Error = scriptArguments(c, n)
		h.Keys, h.Args = slices.Clone(h.Keys), slices.Clone(h.Args)
	}
	st := c.Server.Stats.Calls.Of(c.Spec.ID)
	switch {
	case !h.Sync: // in Redis, another process counts its outcome
	case h.Error.IsError():
		st.Failed++
		c.Server.Stats.CountError(h.Error)
	default: // the command comes again to be run, and is counted then
		st.Calls--
		c.Server.Stats.Commands--
		c.Session.Debugging.Shown = true
	}
	c.Server.Blocked = &server.BlockedClient{Sess: c.Session, Spec: c.Spec, Ended: true, HandedOver: h}
	return reply.None()
}
