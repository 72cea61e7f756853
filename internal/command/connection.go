package command

// connectionCommands declares the connection family.
func connectionCommands() []*Spec {
	return []*Spec{
		{
			Name: "ping", Arity: -1, Flags: Fast, Cats: CatConnection,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Syntax:  `[message]`,
			Handler: nil,
		},
		{
			Name: "echo", Arity: 2, Flags: Loading | Stale | Fast, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Syntax:  `message`,
			Handler: nil,
		},
		{
			Name: "quit", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Handler: nil,
		},
		{
			Name: "reset", Arity: 1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "6.2.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Handler: nil,
		},
		{
			Name: "select", Arity: 2, Flags: Loading | Stale | Fast, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Syntax:  `index#`,
			Handler: nil,
		},
		{
			Name: "hello", Arity: -1, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "6.0.0", Group: "connection", Complexity: "O(1)",
			Summary: "",
			Syntax:  `[arguments{protover# [AUTH:username_password{username password}] [SETNAME:clientname]}]`,
			Handler: nil,
		},
		{
			Name: "auth", Arity: -2, Flags: NoScript | Loading | Stale | Fast | NoAuth | AllowBusy, Cats: CatConnection,
			Since: "1.0.0", Group: "connection", Complexity: "",
			Summary: "",
			Syntax:  `[username>6.0.0] password`,
			Handler: nil,
		},
		{
			Name: "client", Arity: -2,
			Since: "2.4.0", Group: "connection", Complexity: "",
			Summary: "",
			Subs: []*Spec{
				{
					Name: "reply", Arity: 3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "3.2.0", Complexity: "O(1)",
					Summary: "",
					Syntax:  `on_off_skip(ON|OFF|SKIP)`,
					Handler: nil,
				},
				{
					Name: "help", Arity: 2, Flags: Loading | Stale, Cats: CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "no-evict", Arity: 3, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Since: "7.0.0", Complexity: "O(1)",
					Summary: "",
					Syntax:  `enabled(ON|OFF)`,
					Handler: nil,
				},
				{
					Name: "info", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output"},
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "setname", Arity: 3, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "",
					Syntax:  `connection-name`,
					Handler: nil,
				},
				{
					Name: "getname", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "2.6.9", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "id", Arity: 2, Flags: NoScript | Loading | Stale, Cats: CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "list", Arity: -2, Flags: Admin | NoScript | Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output"},
					Since: "2.4.0", Complexity: "",
					Summary: "",
					Syntax:  `[TYPE:normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:id{client-id#...}>6.2.0]`,
					Handler: nil,
				},
			},
		},
	}
}
