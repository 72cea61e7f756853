package admin

import (
	"cmp"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// The handlers of commands that need other servers, files or modules. There are none of these here.

const errNoReplication = "ERR replication is not supported"

func replicationMissing(*server.Ctx) reply.Value { return reply.Err(errNoReplication) }

// replicaOf accepts only NO ONE, which changes nothing for a master.
func replicaOf(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil {
		return reply.Err("ERR REPLICAOF not allowed in cluster mode.")
	}
	if parse.IsToken(c.Args[1], "no") && parse.IsToken(c.Args[2], "one") {
		return reply.OK()
	}
	port, ok := parse.Int(c.Args[2])
	if !ok || port < 0 || port > 65535 {
		return reply.Err("ERR Invalid master port")
	}
	return reply.Err(errNoReplication)
}

// failover checks its arguments as Redis does, and replies that there is no replica.
func failover(c *server.Ctx) reply.Value {
	if c.Server.Cluster != nil {
		return reply.Err("ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.")
	}
	var to, force bool
	timeout := int64(0)
	for i := 1; i < c.NArg(); i++ {
		left := c.NArg() - i - 1
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "timeout" && left > 0 && timeout == 0:
			i++
			n, ok := parse.Int(c.Args[i])
			if !ok {
				return reply.Err(errtext.NotInteger)
			}
			if n <= 0 {
				return reply.Err("ERR FAILOVER timeout must be greater than 0")
			}
			timeout = n
		case arg == "abort" && c.NArg() == 2:
			return reply.Err("ERR No failover in progress.")
		case arg == "to" && left > 1 && !to:
			if _, ok := parse.Int(c.Args[i+2]); !ok {
				return reply.Err(errtext.NotInteger)
			}
			i += 2
			to = true
		case arg == "force" && !force:
			force = true
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	return reply.Err("ERR FAILOVER requires connected replicas.")
}

// migrate checks its arguments as Redis does, and replies NOKEY when no key exists.
func migrate(c *server.Ctx) reply.Value {
	keys := c.Args[3:4]
	for i := 6; i < c.NArg(); i++ {
		left := c.NArg() - i - 1
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "copy" || arg == "replace":
		case arg == "auth" && left > 0:
			i++
		case arg == "auth2" && left > 1:
			i += 2
		case arg == "keys":
			if c.Args[3] != "" {
				return reply.Err("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
			}
			keys = c.Args[i+1:]
			i = c.NArg()
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	for _, i := range []int{5, 4} {
		if _, ok := parse.Int(c.Args[i]); !ok {
			return reply.Err(errtext.NotInteger)
		}
	}
	there := false
	for _, key := range keys {
		there = c.DB.Lookup(key) != nil || there
	}
	if !there {
		return reply.Status("NOKEY")
	}
	return reply.Err("ERR MIGRATE is not supported")
}

func save(*server.Ctx) reply.Value { return reply.Err(errtext.NoFiles) }

func bgsave(c *server.Ctx) reply.Value {
	if c.NArg() > 2 || c.NArg() == 2 && !parse.IsToken(c.Args[1], "schedule") {
		return reply.Err(errtext.Syntax)
	}
	return reply.Err(errtext.NoFiles)
}

func bgrewriteaof(*server.Ctx) reply.Value { return reply.Err(errtext.NoFiles) }

// lastsave returns the time of the start, as Redis does before its first save.
func lastsave(c *server.Ctx) reply.Value { return reply.Int(c.Server.Stats.StartMicros / 1e6) }

// shutdown asks the program around the engine to end it, and closes the connection without a reply.
func shutdown(c *server.Ctx) reply.Value {
	var save, nosave, abort, others bool
	for _, a := range c.Args[1:] {
		switch strings.ToLower(a) {
		case "save":
			save = true
		case "nosave":
			nosave = true
		case "now", "force":
			others = true
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
	case save:
		return reply.Err(cmp.Or(c.Server.BusyError, errtext.NoFiles))
	case !nosave && c.Server.BusyError != "":
		return reply.Err(c.Server.BusyError)
	}
	if c.Server.Shutdown == nil {
		return reply.Err("ERR SHUTDOWN is not supported: the program around the engine ends it")
	}
	if c.Server.BusyError != "" {
		c.Server.KillScript("ERR Script ended by SHUTDOWN NOSAVE")
	}
	c.Server.Shutdown()
	c.Session.LeaveAfterReply()
	return reply.None()
}

func moduleHelp() server.Handler {
	return server.Help("MODULE",
		"LIST",
		"    Return a list of loaded modules.",
		"LOAD <path> [<arg> ...]",
		"    Load a module library from <path>, passing to it any optional arguments.",
		"LOADEX <path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]",
		"    Load a module library from <path>, while passing it module configurations and optional arguments.",
		"UNLOAD <name>",
		"    Unload a module.",
	)
}

func moduleList(*server.Ctx) reply.Value { return reply.Array() }

func moduleRefused(*server.Ctx) reply.Value {
	return reply.Err("ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it " +
		"from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.")
}
