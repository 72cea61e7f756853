package admincmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

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

// moduleLoad fails as Redis does when a file is not a module: there are no modules here.
func moduleLoad(c *server.Ctx) reply.Value {
	if !c.Server.Enabled(moduleParameter, c.Session) {
		return reply.Err(moduleRefused)
	}
	c.Server.Log.Warn("Module " + c.Args[2] + " failed to load: redmoon has no modules.")
	return reply.Err("ERR Error loading the extension. Please check the server logs.")
}

func moduleUnload(c *server.Ctx) reply.Value {
	if !c.Server.Enabled(moduleParameter, c.Session) {
		return reply.Err(moduleRefused)
	}
	return reply.Err("ERR Error unloading module: no such module with that name")
}

const moduleParameter = "enable-module-command"

const moduleRefused = "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", you can run it " +
	"from a local connection, otherwise you need to set this option in the configuration file, and then restart the server."
