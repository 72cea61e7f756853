package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// clientRows declares the subcommands of CLIENT.
func clientRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{
				gains("-/9.0.0", cmdtable.AllowBusy|cmdtable.NoMulti),
				arguments("7.2.0", `action(ON|OFF|SKIP)`),
			},
			Name: "reply", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "3.2.0", Complexity: "O(1)",
			Summary: "Turns replies to this session on or off, or skips the next",
			Reply:   `ok`,
			Changes: cmdtable.Connection,
			Syntax:  `on_off_skip(ON|OFF|SKIP)`,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "capa", Arity: -3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "-/8.0.0", Complexity: "O(1)",
			Summary: "Says what this client is able to do",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `capability...`,
		},
		{
			Name: "import-source", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "-/8.1.0", Complexity: "O(1)",
			Summary: "Says whether this session brings the data of another server",
			Reply:   `ok`,
			Reads:   cmdtable.Settings,
			Changes: cmdtable.Session,
			Syntax:  `enabled(ON|OFF)`,
		},
		{
			Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Lists the subcommands of CLIENT",
			Reply:   `[status]`,
			Reads:   cmdtable.Nothing,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "no-evict", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:  cmdtable.CatConnection,
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Turns protection of this session from eviction on or off",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `enabled(ON|OFF)`,
		},
		{
			Name: "info", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes this session",
			Reply:   `text`,
			Reads:   cmdtable.Session,
			Varies:  cmdtable.ByServer,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `client-id# [unblock-type(TIMEOUT|ERROR)]`)},
			Name:  "unblock", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:  cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(log N) for N sessions",
			Summary: "Ends the wait of another session's blocking command",
			Reply:   `int`,
			Changes: cmdtable.Clients,
			Varies:  cmdtable.ByServer,
			Syntax:  `client-id# [timeout_error(TIMEOUT|ERROR)]`,
		},
		{
			Later: []cmdtable.Change{everywhere("7.2.0"), gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "setname", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.6.9", Complexity: "O(1)",
			Summary: "Sets the name of this session",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `connection-name`,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "setinfo", Arity: 4, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Since: "7.2.0", Complexity: "O(1)",
			Summary: "Sets the name or version of the client library of this session",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `attr(LIB-NAME:libname|LIB-VER:libver)`,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "no-touch", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "7.2.0", Complexity: "O(1)",
			Summary: "Sets whether commands of this session change the access times of keys",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `enabled(ON|OFF)`,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "getname", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.6.9", Complexity: "O(1)",
			Summary: "Returns the name of this session",
			Reply:   `text|nil`,
			Reads:   cmdtable.Session,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "id", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Returns the number of this session",
			Reply:   `int`,
			Reads:   cmdtable.Session,
			Varies:  cmdtable.ByServer,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "caching", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Complexity: "O(1)",
			Summary: "Sets whether the keys of the next command are tracked",
			Reply:   `ok`,
			Changes: cmdtable.Session,
			Syntax:  `mode(YES|NO)`,
		},
		{
			Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.AllowBusy)},
			Name:  "getredir", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns the id of the session that receives the invalidation messages",
			Reply:   `int`,
			Reads:   cmdtable.Session | cmdtable.Clients,
			Varies:  cmdtable.ByServer,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `filter(old-format"ip:port"<2.8.12|new-format([ID:client-id#>2.8.12]|[TYPE:client-type(NORMAL|`+
					`MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|[USER:username]|[ADDR:addr"ip:port"]|`+
					`[LADDR:laddr"ip:port">6.2.0]|[SKIPME:skipme(YES|NO)]|[MAXAGE:maxage#>7.4.0])...)`),
				arguments("-/8.0.0", `filter(old-format"ip:port"<2.8.12|new-format([ID:client-id#>2.8.12]|[TYPE:client-type(NORMAL|`+
					`MASTER>3.2.0|PRIMARY>-/8.0.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|[USER:username]|`+
					`[ADDR:addr"ip:port"]|[LADDR:laddr"ip:port">6.2.0]|[SKIPME:skipme(YES|NO)]|`+
					`[MAXAGE:maxage#>-/8.0.0])...)`),
				arguments("-/8.1.0", `filter(old-format"ip:port"<2.8.12|new-format([ID:client-id#...>2.8.12]|[TYPE:client-type(NORMAL|`+
					`MASTER>3.2.0|PRIMARY>-/8.0.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|[USER:username]|`+
					`[ADDR:addr"ip:port"]|[LADDR:laddr"ip:port">6.2.0]|[SKIPME:skipme(YES|NO)]|`+
					`[MAXAGE:maxage#>-/8.0.0])...)`),
				arguments("-/9.0.0", `filter(old-format"ip:port"<2.8.12|new-format([ID:client-id#...>2.8.12]|[TYPE:client-type(NORMAL|`+
					`MASTER>3.2.0|PRIMARY>-/8.0.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|[USER:username]|`+
					`[ADDR:addr"ip:port"]|[LADDR:laddr"ip:port">6.2.0]|[SKIPME:skipme(YES|NO)]|[MAXAGE:maxage#>-/8.0.0]|`+
					`[NAME:name>-/9.0.0]|[IDLE:idle#>-/9.0.0]|[FLAGS:flags>-/9.0.0]|[LIB-NAME:lib-name>-/9.0.0]|`+
					`[LIB-VER:lib-ver>-/9.0.0]|[DB:db#>-/9.0.0]|[CAPA:capa>-/9.0.0]|[IP:ip>-/9.0.0]|`+
					`[NOT-TYPE:not-client-type(NORMAL|MASTER|PRIMARY|SLAVE|REPLICA|PUBSUB)>-/9.0.0]|`+
					`[NOT-ID:not-client-id#...>-/9.0.0]|[NOT-USER:not-username>-/9.0.0]|`+
					`[NOT-ADDR:not-addr"ip:port">-/9.0.0]|[NOT-LADDR:not-laddr"ip:port">-/9.0.0]|`+
					`[NOT-NAME:not-name>-/9.0.0]|[NOT-FLAGS:not-flags>-/9.0.0]|[NOT-LIB-NAME:not-lib-name>-/9.0.0]|`+
					`[NOT-LIB-VER:not-lib-ver>-/9.0.0]|[NOT-DB:not-db#>-/9.0.0]|[NOT-CAPA:not-capa>-/9.0.0]|`+
					`[NOT-IP:not-ip>-/9.0.0])...)`),
			},
			Name: "kill", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Ends sessions",
			Reply:   `ok|int`,
			Changes: cmdtable.Clients,
			Varies:  cmdtable.ByServer,
			Syntax: `filter(ip\:port<2.8.12|new-format([ID:client-id#>2.8.12]|` +
				`[TYPE:normal_master_slave_pubsub(NORMAL|MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|` +
				`[USER:username]|[ADDR:ip\:port]|[LADDR:ip\:port>6.2.0]|[SKIPME:yes/no]|[MAXAGE:maxage#>7.4.0/8.0.0])...)`,
		},
		{
			Later: []cmdtable.Change{{Since: "7.2.0", Set: func(s *cmdtable.Spec) { s.Since = "3.0.0" }}},
			Name:  "pause", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "2.9.50", Complexity: "O(1)",
			Summary: "Pauses the commands of clients for some time",
			Reply:   `ok`,
			Changes: cmdtable.Clients,
			Syntax:  `timeout# [mode(WRITE|ALL)>6.2.0]`,
		},
		{
			Name: "tracking", Arity: -3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Complexity: "O(1)",
			Summary: "Turns the tracking of keys for a client-side cache on or off",
			Reply:   `ok`,
			Reads:   cmdtable.Clients,
			Changes: cmdtable.Session | cmdtable.Connection,
			Syntax:  `status(ON|OFF) [REDIRECT:client-id#] [PREFIX:prefix+...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`,
		},
		{
			Name: "trackinginfo", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes how the keys of this session are tracked",
			Reply:   `{text any}`,
			Reads:   cmdtable.Session | cmdtable.Clients,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "unpause", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "6.2.0", Complexity: "O(N) for N paused clients",
			Summary: "Ends the pause of clients",
			Reply:   `ok`,
			Changes: cmdtable.Clients,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `[TYPE:client-type(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:client-id#...>6.2.0] `+
					`[USER:username>-/8.1.0] [ADDR:addr"ip:port">-/8.1.0] [LADDR:laddr"ip:port">-/8.1.0] `+
					`[SKIPME:skipme(YES|NO)>-/8.1.0] [MAXAGE:maxage#>-/8.1.0] [NAME:name>-/9.0.0] [IDLE:idle#>-/9.0.0] `+
					`[FLAGS:flags>-/9.0.0] [LIB-NAME:lib-name>-/9.0.0] [LIB-VER:lib-ver>-/9.0.0] [DB:db#>-/9.0.0] `+
					`[CAPA:capa>-/9.0.0] [IP:ip>-/9.0.0] [NOT-TYPE:not-client-type(NORMAL|MASTER|REPLICA|`+
					`PUBSUB)>-/9.0.0] [NOT-ID:not-client-id#...>-/9.0.0] [NOT-USER:not-username>-/9.0.0] `+
					`[NOT-ADDR:not-addr"ip:port">-/9.0.0] [NOT-LADDR:not-laddr"ip:port">-/9.0.0] `+
					`[NOT-NAME:not-name>-/9.0.0] [NOT-FLAGS:not-flags>-/9.0.0] [NOT-LIB-NAME:not-lib-name>-/9.0.0] `+
					`[NOT-LIB-VER:not-lib-ver>-/9.0.0] [NOT-DB:not-db#>-/9.0.0] [NOT-CAPA:not-capa>-/9.0.0] `+
					`[NOT-IP:not-ip>-/9.0.0]`),
			},
			Name: "list", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Describes all sessions, or those of a type or with given ids",
			Reply:   `text`,
			Reads:   cmdtable.Clients,
			Varies:  cmdtable.ByServer,
			Syntax:  `[TYPE:normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:id{client-id#...}>6.2.0]`,
		},
	}
}
