package admin

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// ACLRows declares the acl family.
func ACLRows() []*cmdtable.Spec {
	const open, admin = cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale
	return []*cmdtable.Spec{
		{
			Name: "acl", Arity: -2,
			Since: "6.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about users and what they may do",
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
					Since:  "6.0.0", Complexity: "O(N), N being the number of sessions",
					Summary: "Deletes users and ends their sessions",
					Syntax:  `username...`,
					Handler: aclDelUser,
				},
				{
					Name: "dryrun", Arity: -4, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "7.0.0", Complexity: "O(1)",
					Summary: "Tells whether a user may run a command, without running it",
					Syntax:  `username command [arg...]`,
					Handler: aclDryRun,
				},
				{
					Name: "genpass", Arity: -2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary: "Makes a random password",
					Syntax:  `[bits#]`,
					Handler: aclGenPass,
				},
				{
					Name: "getuser", Arity: 3, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N), N being the number of rules of the user",
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
					Since:  "6.0.0", Complexity: "O(N), N being the number of users",
					Summary: "Describes all users as in a file of users",
					Handler: aclList,
				},
				{
					Name: "load", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N), N being the number of users",
					Summary: "Takes the users from the file of users",
					Handler: aclLoad,
				},
				{
					Name: "log", Arity: -2, Flags: admin,
					Since: "6.0.0", Complexity: "O(N), N being the number of entries",
					Summary: "Tells of the latest denials, or forgets them",
					Syntax:  `[operation(count#|RESET)]`,
					Handler: aclLog,
				},
				{
					Name: "save", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N), N being the number of users",
					Summary: "Writes the users to the file of users",
					Handler: aclSave,
				},
				{
					Name: "setuser", Arity: -3, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N), N being the number of rules",
					Summary: "Makes a user, or changes what a user may do",
					Syntax:  `username [rule...]`,
					Handler: aclSetUser,
				},
				{
					Name: "users", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N), N being the number of users",
					Summary: "Lists the names of the users",
					Handler: aclUsers,
				},
				{
					Name: "whoami", Arity: 2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary: "Answers the name of the session's user",
					Handler: aclWhoAmI,
				},
			},
		},
	}
}
