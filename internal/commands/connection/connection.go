package connection

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// Rows declares the connection family.
func Rows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "ping", Arity: -1, Flags: cmdtable.Fast, Cats: cmdtable.CatConnection,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Answers PONG, or the message it is given",
			Syntax:  `[message]`,
			Handler: ping,
		},
		{
			Name: "echo", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Answers the message it is given",
			Syntax:  `message`,
			Handler: echo,
		},
		{
			Name: "quit", Arity: -1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy, Cats: cmdtable.CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Closes the connection once earlier replies are sent",
			Handler: quit,
		},
		{
			Name: "reset", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy, Cats: cmdtable.CatConnection,
			Since: "6.2.0", Group: "connection", Complexity: "O(1)",
			Summary: "Brings the session back to the state of a new connection",
			Handler: reset,
		},
		{
			Name: "select", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Switches the session to another database",
			Syntax:  `index#`,
			Handler: selectDB,
		},
		{
			Name: "hello", Arity: -1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Tells about the server and switches the RESP version of the session",
			Syntax:  `[arguments{protover# [AUTH:username_password{username password}] [SETNAME:clientname]}]`,
			Handler: hello,
		},
		{
			Name: "auth", Arity: -2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.NoAuth | cmdtable.AllowBusy, Cats: cmdtable.CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(N), N being the number of passwords of the user",
			Summary: "Gives the password (and user name) of the session",
			Syntax:  `[username>6.0.0] password`,
			Handler: auth,
		},
		{
			Name: "client", Arity: -2,
			Since: "2.4.0", Group: "connection", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about client sessions",
			Subs: []*cmdtable.Spec{
				{
					Name: "reply", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "3.2.0", Complexity: "O(1)",
					Summary: "Turns replies to this session on or off, or skips the next",
					Syntax:  `on_off_skip(ON|OFF|SKIP)`,
					Handler: clientReply,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of CLIENT",
					Handler: clientHelp(),
				},
				{
					Name: "no-evict", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "7.0.0", Complexity: "O(1)",
					Summary: "Protects this session from eviction, or no longer",
					Syntax:  `enabled(ON|OFF)`,
					Handler: clientNoEvict,
				},
				{
					Name: "info", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Tips:  []string{"nondeterministic_output"},
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Describes this session",
					Handler: clientInfo,
				},
				{
					Name: "unblock", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "5.0.0", Complexity: "O(log N), N being the number of sessions",
					Summary: "Ends the waiting of another session's command",
					Syntax:  `client-id# [timeout_error(TIMEOUT|ERROR)]`,
					Handler: clientUnblock,
				},
				{
					Name: "setname", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "Gives this session a name",
					Syntax:  `connection-name`,
					Handler: clientSetName,
				},
				{
					Name: "setinfo", Arity: 4, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "7.2.0", Complexity: "O(1)",
					Summary: "Tells the name or version of the library that this session uses",
					Syntax:  `attr(LIB-NAME:libname|LIB-VER:libver)`,
					Handler: clientSetInfo,
				},
				{
					Name: "no-touch", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "7.2.0", Complexity: "O(1)",
					Summary: "Lets this session use keys without their counting as used, or no longer",
					Syntax:  `enabled(ON|OFF)`,
					Handler: clientNoTouch,
				},
				{
					Name: "getname", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "Answers the name of this session",
					Handler: clientGetName,
				},
				{
					Name: "id", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Answers the number of this session",
					Handler: clientID,
				},
				{
					Name: "caching", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Says whether the next command is tracked",
					Syntax:  `mode(YES|NO)`,
					Handler: clientCaching,
				},
				{
					Name: "getredir", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Answers to which session invalidations go",
					Handler: clientGetRedir,
				},
				{
					Name: "kill", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "2.4.0", Complexity: "O(N), N being the number of sessions",
					Summary: "Ends sessions",
					Syntax: `filter(ip\:port<2.8.12|new-format([ID:client-id#>2.8.12]|[TYPE:normal_master_slave_pubsub(NORMAL|MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|` +
						`[USER:username]|[ADDR:ip\:port]|[LADDR:ip\:port>6.2.0]|[SKIPME:yes/no]|[MAXAGE:maxage#>7.4.0])...)`,
					Handler: clientKill,
				},
				{
					Name: "pause", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "2.9.50", Complexity: "O(1)",
					Summary: "Makes clients wait",
					Syntax:  `timeout# [mode(WRITE|ALL)>6.2.0]`,
					Handler: clientPause,
				},
				{
					Name: "tracking", Arity: -3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Turns the tracking of keys that a client caches on or off",
					Syntax:  `status(ON|OFF) [REDIRECT:client-id#] [PREFIX:prefix+...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`,
					Handler: clientTracking,
				},
				{
					Name: "trackinginfo", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Tells how keys are tracked",
					Handler: clientTrackingInfo,
				},
				{
					Name: "unpause", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "6.2.0", Complexity: "O(N), N being the number of paused clients",
					Summary: "Lets paused clients go on",
					Handler: clientUnpause,
				},
				{
					Name: "list", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Tips:  []string{"nondeterministic_output"},
					Since: "2.4.0", Complexity: "O(N), N being the number of sessions",
					Summary: "Describes all sessions, or those of a type or with given ids",
					Syntax:  `[TYPE:normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:id{client-id#...}>6.2.0]`,
					Handler: clientList,
				},
			},
		},
	}
}
