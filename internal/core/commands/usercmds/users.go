package usercmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func aclHelp() server.Handler {
	return server.Help("ACL",
		"CAT [<category>]",
		"    List all commands that belong to <category>, or all command categories",
		"    when no category is specified.",
		"DELUSER <username> [<username> ...]",
		"    Delete a list of users.",
		"DRYRUN <username> <command> [<arg> ...]",
		"    Returns whether the user can execute the given command without executing the command.",
		"GETUSER <username>",
		"    Get the user's details.",
		"GENPASS [<bits>]",
		"    Generate a secure 256-bit user password. The optional `bits` argument can",
		"    be used to specify a different size.",
		"LIST",
		"    Show users details in config file format.",
		"LOAD",
		"    Reload users from the ACL file.",
		"LOG [<count> | RESET]",
		"    Show the ACL log entries.",
		"SAVE",
		"    Save the current config to the ACL file.",
		"{|-/9.1.0}SETUSER <username> <attribute> [<attribute> ...]",
		"{|-/9.1.0}    Create or modify a user with the specified attributes.",
		"{-/9.1.0}SETUSER <username> <rule> [<rule> ...]",
		"{-/9.1.0}    Create or modify a user with the specified rules.",
		"USERS",
		"    List all the registered usernames.",
		"WHOAMI",
		"    Return the current connection username.",
	)
}

// aclArity is the error of a subcommand that counts its arguments itself.
func aclArity(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try ACL HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)))
}
