package users

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rows declares ACL.
func Rows() []*cmdtable.Spec {
	const open, admin = cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
		cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale
	return []*cmdtable.Spec{
		{
			Name: "acl", Arity: -2,
			Since: "6.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about users and what they may do",
			Subs: []*cmdtable.Spec{
				{
					Name: "cat", Arity: -2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1), as the commands are a fixed set",
					Summary: "Lists the categories of commands, or the commands of one",
					Syntax:  `[categoryname]`,
					Handler: aclCat,
				},
				{
					Name: "deluser", Arity: -3, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N sessions",
					Summary: "Deletes users and ends their sessions",
					Syntax:  `username...`,
					Handler: aclDelUser,
				},
				{
					Name: "dryrun", Arity: -4, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "7.0.0", Complexity: "O(1)",
					Summary: "Reports whether a user may run a command, without running it",
					Syntax:  `username command [arg...]`,
					Handler: aclDryRun,
				},
				{
					Name: "genpass", Arity: -2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary: "Generates a random password",
					Syntax:  `[bits#]`,
					Handler: aclGenPass,
				},
				{
					Name: "getuser", Arity: 3, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N rules of the user",
					Summary: "Describes a user",
					Syntax:  `username`,
					Handler: aclGetUser,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of ACL",
					Handler: aclHelp(),
				},
				{
					Name: "list", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Describes all users in the form of the ACL file",
					Handler: aclList,
				},
				{
					Name: "load", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Loads the users from the ACL file",
					Handler: aclLoad,
				},
				{
					Name: "log", Arity: -2, Flags: admin,
					Since: "6.0.0", Complexity: "O(N) for N entries",
					Summary: "Lists the latest denials, or clears the list",
					Syntax:  `[operation(count#|RESET)]`,
					Handler: aclLog,
				},
				{
					Name: "save", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Saves the users to the ACL file",
					Handler: aclSave,
				},
				{
					Name: "setuser", Arity: -3, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N rules",
					Summary: "Creates a user, or changes what a user may do",
					Syntax:  `username [rule...]`,
					Handler: aclSetUser,
				},
				{
					Name: "users", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Lists the names of the users",
					Handler: aclUsers,
				},
				{
					Name: "whoami", Arity: 2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary: "Returns the name of the session's user",
					Handler: aclWhoAmI,
				},
			},
		},
	}
}

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
		"SETUSER <username> <attribute> [<attribute> ...]",
		"    Create or modify a user with the specified attributes.",
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
