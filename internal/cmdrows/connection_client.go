package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// clientRows declares the subcommands of CLIENT.
func clientRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "reply", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "3.2.0", Complexity: "O(1)",
			Summary: "Turns replies to this session on or off, or skips the next",
			Reply:   `ok`,
			Syntax:  `on_off_skip(ON|OFF|SKIP)`,
		},
		{
			Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Lists the subcommands of CLIENT",
			Reply:   `[status]`,
		},
		{
			Name: "no-evict", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:           cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "7.0.0", Complexity: "O(1)",
			Summary: "Turns protection of this session from eviction on or off",
			Reply:   `ok`,
			Syntax:  `enabled(ON|OFF)`,
		},
		{
			Name: "info", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes this session",
			Reply:   `text`,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "unblock", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:  cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(log N) for N sessions",
			Summary: "Ends the wait of another session's blocking command",
			Reply:   `int`,
			Varies:  cmdtable.ByServer,
			Syntax:  `client-id# [timeout_error(TIMEOUT|ERROR)]`,
		},
		{
			Name: "setname", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "2.6.9", Complexity: "O(1)",
			Summary: "Sets the name of this session",
			Reply:   `ok`,
			Syntax:  `connection-name`,
		},
		{
			Name: "setinfo", Arity: 4, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Tips:           []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Since:          "7.2.0", Complexity: "O(1)",
			Summary: "Sets the name or version of the client library of this session",
			Reply:   `ok`,
			Syntax:  `attr(LIB-NAME:libname|LIB-VER:libver)`,
		},
		{
			Name: "no-touch", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "7.2.0", Complexity: "O(1)",
			Summary: "Sets whether commands of this session change the access times of keys",
			Reply:   `ok`,
			Syntax:  `enabled(ON|OFF)`,
		},
		{
			Name: "getname", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.6.9", Complexity: "O(1)",
			Summary: "Returns the name of this session",
			Reply:   `text|nil`,
		},
		{
			Name: "id", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Returns the number of this session",
			Reply:   `int`,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "caching", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "6.0.0", Complexity: "O(1)",
			Summary: "Sets whether the keys of the next command are tracked",
			Reply:   `ok`,
			Syntax:  `mode(YES|NO)`,
		},
		{
			Name: "getredir", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns the id of the session that receives the invalidation messages",
			Reply:   `int`,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "kill", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Ends sessions",
			Reply:   `ok|int`,
			Varies:  cmdtable.ByServer,
			Syntax: `filter(ip\:port<2.8.12|new-format([ID:client-id#>2.8.12]|` +
				`[TYPE:normal_master_slave_pubsub(NORMAL|MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|` +
				`[USER:username]|[ADDR:ip\:port]|[LADDR:ip\:port>6.2.0]|[SKIPME:yes/no]|[MAXAGE:maxage#>7.4.0])...)`,
		},
		{
			Name: "pause", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "2.9.50", Complexity: "O(1)",
			Summary: "Pauses the commands of clients for some time",
			Reply:   `ok`,
			Syntax:  `timeout# [mode(WRITE|ALL)>6.2.0]`,
		},
		{
			Name: "tracking", Arity: -3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "6.0.0", Complexity: "O(1)",
			Summary: "Turns the tracking of keys for a client-side cache on or off",
			Reply:   `ok`,
			Syntax:  `status(ON|OFF) [REDIRECT:client-id#] [PREFIX:prefix+...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`,
		},
		{
			Name: "trackinginfo", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes how the keys of this session are tracked",
			Reply:   `{text any}`,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "unpause", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "6.2.0", Complexity: "O(N) for N paused clients",
			Summary: "Ends the pause of clients",
			Reply:   `ok`,
		},
		{
			Name: "list", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Describes all sessions, or those of a type or with given ids",
			Reply:   `text`,
			Varies:  cmdtable.ByServer,
			Syntax:  `[TYPE:normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:id{client-id#...}>6.2.0]`,
		},
	}
}
