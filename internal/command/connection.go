package command

// connectionCommands declares the connection family.
func connectionCommands() []*Spec {
	return []*Spec{
		{
			Name: "ping", Arity: -1, Flags: Fast, Cats: CatConnection,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Answers PONG, or the message it is given",
			Syntax:  `[message]`,
			Handler: ping,
		},
		{
			Name: "echo", Arity: 2, Flags: Loading | Stale | Fast, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Answers the message it is given",
			Syntax:  `message`,
			Handler: echo,
		},
		{
			Name: "quit", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Closes the connection once earlier replies are sent",
			Handler: quit,
		},
		{
			Name: "reset", Arity: 1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "6.2.0", Group: "connection", Complexity: "O(1)",
			Summary: "Brings the session back to the state of a new connection",
			Handler: reset,
		},
		{
			Name: "select", Arity: 2, Flags: Loading | Stale | Fast, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Switches the session to another database",
			Syntax:  `index#`,
			Handler: selectDB,
		},
		{
			Name: "hello", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "6.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "Tells about the server and switches the RESP version of the session",
			Syntax:  `[arguments{protover# [AUTH:username_password{username password}] [SETNAME:clientname]}]`,
			Handler: hello,
		},
		{
			Name: "auth", Arity: -2, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(N), N being the number of passwords of the user",
			Summary: "Gives the password (and user name) of the session",
			Syntax:  `[username>6.0.0] password`,
			Handler: auth,
		},
		{
			Name: "client", Arity: -2,
			Since: "2.4.0", Group: "connection", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about client sessions",
			Subs: []*Spec{
				{
					Name: "reply", Arity: 3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "3.2.0", Complexity: "O(1)",
					Summary: "Turns replies to this session on or off, or skips the next",
					Syntax:  `on_off_skip(ON|OFF|SKIP)`,
					Handler: clientReply,
				},
				{
					Name: "help", Arity: 2, Flags: Loading | Stale, Cats: CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of CLIENT",
					Handler: clientHelp(),
				},
				{
					Name: "no-evict", Arity: 3, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Since: "7.0.0", Complexity: "O(1)",
					Summary: "Protects this session from eviction, or no longer",
					Syntax:  `enabled(ON|OFF)`,
					Handler: clientNoEvict,
				},
				{
					Name: "info", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output"},
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Describes this session",
					Handler: clientInfo,
				},
				{
					Name: "setname", Arity: 3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "Gives this session a name",
					Syntax:  `connection-name`,
					Handler: clientSetName,
				},
				{
					Name: "getname", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "Answers the name of this session",
					Handler: clientGetName,
				},
				{
					Name: "id", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Answers the number of this session",
					Handler: clientID,
				},
				{
					Name: "caching", Arity: 3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Says whether the next command is tracked",
					Syntax:  `mode(YES|NO)`,
					Handler: clientCaching,
				},
				{
					Name: "getredir", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Answers to which session invalidations go",
					Handler: clientGetRedir,
				},
				{
					Name: "kill", Arity: -3, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.4.0", Complexity: "O(N), N being the number of sessions",
					Summary: "Ends sessions",
					Syntax: `filter(ip\:port<2.8.12|new-format([ID:client-id#>2.8.12]|[TYPE:normal_master_slave_pubsub(NORMAL|MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|` +
						`[USER:username]|[ADDR:ip\:port]|[LADDR:ip\:port>6.2.0]|[SKIPME:yes/no])...)`,
					Handler: clientKill,
				},
				{
					Name: "pause", Arity: -3, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.9.50", Complexity: "O(1)",
					Summary: "Makes clients wait",
					Syntax:  `timeout# [mode(WRITE|ALL)>6.2.0]`,
					Handler: clientPause,
				},
				{
					Name: "tracking", Arity: -3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "6.0.0", Complexity: "O(1)",
					Summary: "Turns the tracking of keys that a client caches on or off",
					Syntax:  `status(ON|OFF) [REDIRECT:client-id#] [PREFIX:prefix+...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`,
					Handler: clientTracking,
				},
				{
					Name: "trackinginfo", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Tells how keys are tracked",
					Handler: clientTrackingInfo,
				},
				{
					Name: "unpause", Arity: 2, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Since: "6.2.0", Complexity: "O(N), N being the number of paused clients",
					Summary: "Lets paused clients go on",
					Handler: clientUnpause,
				},
				{
					Name: "list", Arity: -2, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
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
