package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// usersRows declares ACL.
func usersRows() []*cmdtable.Spec {
	const open, admin = cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
		cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale
	return []*cmdtable.Spec{
		{
			Name: "acl", Arity: -2,
			Since: "6.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary:   "Contains the commands about users and what they may do",
			Passwords: allFrom(2), // a misspelled SETUSER, for example
			Subs: []*cmdtable.Spec{
				{
					Later: []cmdtable.Change{arguments("7.2.0", `[category]`)},
					Name:  "cat", Arity: -2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1), as the commands are a fixed set",
					Summary: "Lists the categories of commands, or the commands of one",
					Reply:   `[text]`,
					Reads:   cmdtable.Nothing,
					Syntax:  `[categoryname]`,
				},
				{
					Later: []cmdtable.Change{everywhere("7.2.0")},
					Name:  "deluser", Arity: -3, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N sessions",
					Summary: "Deletes users and ends their sessions",
					Reply:   `int`,
					Changes: cmdtable.Settings | cmdtable.Clients,
					Syntax:  `username...`,
				},
				{
					Name: "dryrun", Arity: -4, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "7.0.0", Complexity: "O(1)",
					Summary: "Reports whether a user may run a command, without running it",
					Reply:   `ok|text`,
					Line:    3,
					Reads:   cmdtable.Settings,
					Syntax:  `username command [arg...]`,
				},
				{
					Name: "genpass", Arity: -2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary:        "Generates a random password",
					Reply:          `text`,
					ShowsPasswords: always,
					Reads:          cmdtable.Nothing,
					Varies:         cmdtable.ByChance,
					Syntax:         `[bits#]`,
				},
				{
					Name: "getuser", Arity: 3, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N rules of the user",
					Summary:        "Describes a user",
					Reply:          `{text any}|nil`,
					ShowsPasswords: always,
					Reads:          cmdtable.Settings,
					Syntax:         `username`,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of ACL",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Name: "list", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary:        "Describes all users in the form of the ACL file",
					Reply:          `[text]`,
					ShowsPasswords: always,
					Reads:          cmdtable.Settings,
				},
				{
					Name: "load", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Loads the users from the ACL file",
					Reply:   `ok`,
					Reads:   cmdtable.Files,
					Changes: cmdtable.Settings | cmdtable.Clients,
				},
				{
					Name: "log", Arity: -2, Flags: admin,
					Since: "6.0.0", Complexity: "O(N) for N entries",
					Summary: "Lists the latest denials, or clears the list",
					Reply:   `[any]; RESET: ok`,
					Changes: cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `[operation(count#|RESET)]`,
				},
				{
					Later: []cmdtable.Change{everywhere("7.2.0")},
					Name:  "save", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Saves the users to the ACL file",
					Reply:   `ok`,
					Reads:   cmdtable.Settings,
					Changes: cmdtable.Files,
				},
				{
					Later: []cmdtable.Change{everywhere("7.2.0")},
					Name:  "setuser", Arity: -3, Flags: admin,
					Spread: cmdtable.SpreadAll,
					Since:  "6.0.0", Complexity: "O(N) for N rules",
					Summary:   "Creates a user, or changes what a user may do",
					Reply:     `ok`,
					Hidden:    allFrom(2),
					Passwords: passwordsInRules,
					Changes:   cmdtable.Settings | cmdtable.Clients,
					Syntax:    `username [rule...]`,
				},
				{
					Name: "users", Arity: 2, Flags: admin,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(N) for N users",
					Summary: "Lists the names of the users",
					Reply:   `[text]`,
					Reads:   cmdtable.Settings,
				},
				{
					Name: "whoami", Arity: 2, Flags: open,
					Spread: cmdtable.SpreadAny,
					Since:  "6.0.0", Complexity: "O(1)",
					Summary: "Returns the name of the session's user",
					Reply:   `text`,
					Reads:   cmdtable.Session,
				},
			},
		},
	}
}
