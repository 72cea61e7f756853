package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// connectionRows declares the commands about connections, and CLIENT.
func connectionRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "ping", Arity: -1, Flags: cmdtable.Fast, Cats: cmdtable.CatConnection,
			AllowedSubscribed: true,
			Tips:              []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since:             "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Returns PONG, or its argument",
			Reply:   `status; #2: text`,
			Reads:   cmdtable.Nothing,
			Syntax:  `[message]`,
		},
		{
			Name: "echo", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAny,
			Since:  "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Returns its argument",
			Reply:   `text`,
			Reads:   cmdtable.Nothing,
			Syntax:  `message`,
		},
		{
			Later: []cmdtable.Change{deprecated("7.2.0", "7.2.0"), undeprecated("-/9.0.0")},
			Name:  "quit", Arity: -1,
			Flags:             cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy,
			Cats:              cmdtable.CatConnection,
			AllowedSubscribed: true, RunsInMulti: true,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Closes the connection once earlier replies are sent",
			Reply:   `ok`,
			Changes: cmdtable.Connection,
		},
		{
			Name: "reset", Arity: 1,
			Flags:             cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy,
			Cats:              cmdtable.CatConnection,
			AllowedSubscribed: true, RunsInMulti: true,
			ChangesParsing: true, // a client that must authenticate again has stricter limits
			Since:          "6.2.0", Group: "connection", Complexity: "O(1)",
			Summary: "Resets the session to the state of a new connection",
			Reply:   `status`,
			Changes: cmdtable.Session | cmdtable.Transaction | cmdtable.Connection | cmdtable.Subscribers,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "select", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			DBs:   cmdtable.UsesDB1,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Switches the session to another database",
			Reply:   `ok`,
			Reads:   cmdtable.Databases,
			Changes: cmdtable.Session,
			Syntax:  `index#`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `[arguments{protover# [AUTH:auth{username password}] [SETNAME:clientname]}]`),
			},
			Name: "hello", Arity: -1,
			Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy,
			Cats:  cmdtable.CatConnection,
			Since: "6.0.0", Group: "connection", Complexity: "O(1)",
			Summary:   "Describes the server and switches the RESP version of the session",
			Reply:     `{text any}`,
			Hidden:    hiddenInHello,
			Passwords: passwordsInHello,
			Reads:     cmdtable.Settings,
			Changes:   cmdtable.Session,
			Varies:    cmdtable.ByServer,
			Syntax:    `[arguments{protover# [AUTH:username_password{username password}] [SETNAME:clientname]}]`,
		},
		{
			Name: "auth", Arity: -2,
			Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy,
			Cats:  cmdtable.CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(N) for N passwords of the user",
			Summary:   "Authenticates the session by a password, or a user name and password",
			Reply:     `ok`,
			Hidden:    allFrom(1),
			Passwords: passwordsInAuth,
			Reads:     cmdtable.Settings,
			Changes:   cmdtable.Session,
			Syntax:    `[username>6.0.0] password`,
		},
		{
			Name: "client", Arity: -2,
			Since: "2.4.0", Group: "connection", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about client sessions",
			Subs:    clientRows(),
		},
	}
}
