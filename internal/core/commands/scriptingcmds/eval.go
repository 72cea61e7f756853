package scriptingcmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func eval(c *server.Ctx) reply.Value { return evalWith(c, false, false) }

func evalRO(c *server.Ctx) reply.Value { return evalWith(c, false, true) }

func evalSHA(c *server.Ctx) reply.Value { return evalWith(c, true, false) }

func evalSHARO(c *server.Ctx) reply.Value { return evalWith(c, true, true) }

func evalWith(c *server.Ctx, bySHA, readOnly bool) reply.Value {
	if c.Session.Debugging.Mode != server.NotDebugged && c.Door == cmdtable.DoorClient && !bySHA {
		return handOver(c, readOnly)
	}
	n, ok := parse.Int(c.Args[2])
	switch {
	case bySHA && len(c.Args[1]) != 40:
		return NoScriptReply(c.Server)
	case bySHA && c.Session.Debugging.Mode != server.NotDebugged:
		return reply.Err("ERR Please use EVAL instead of EVALSHA for debugging")
	case !ok:
		return reply.Err(errtext.NotInteger)
	}
	keys, argv, errv := scriptArguments(c, n)
	if errv.IsError() {
		return errv
	}
	if bySHA {
		return c.Server.Scripts.EvalSHA(c, c.Args[1], keys, argv, readOnly)
	}
	return c.Server.Scripts.Eval(c, c.Args[1], keys, argv, readOnly)
}

// scriptArguments splits the arguments into KEYS and ARGV.
func scriptArguments(c *server.Ctx, n int64) (keys, argv []string, errReply reply.Value) {
	switch {
	case n > int64(len(c.Args)-3):
		errReply = reply.Err("ERR Number of keys can't be greater than number of args")
	case n < 0:
		errReply = reply.Err("ERR Number of keys can't be negative")
	default:
		keys, argv = c.Args[3:3+n], c.Args[3+n:]
	}
	return keys, argv, errReply
}

// NotOnCluster returns the error of a script or function that must not run in cluster mode. It is
// not an error when the cluster is off.
func NotOnCluster(s *server.Server) (errReply reply.Value) {
	if s.Cluster != nil {
		errReply = reply.Err("ERR Can not run script on cluster, 'no-cluster' flag is set.")
	}
	return errReply
}

// NoScriptReply returns the error of EVALSHA for a script that is not in the cache.
func NoScriptReply(s *server.Server) reply.Value { return reply.Err(errtext.NoScript.Of(s.Follows)) }
