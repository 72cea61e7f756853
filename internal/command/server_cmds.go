package command

// serverCommands declares the server family.
func serverCommands() []*Spec {
	return []*Spec{
		{
			Name: "swapdb", Arity: 3, Flags: Write | Fast, Cats: CatKeyspace | CatDangerous,
			Since: "4.0.0", Group: "server", Complexity: "",
			Summary: "",
			Syntax:  `index1# index2#`,
			Handler: nil,
		},
		{
			Name: "dbsize", Arity: 1, Flags: ReadOnly | Fast, Cats: CatKeyspace,
			Tips:  []string{"request_policy:all_shards", "response_policy:agg_sum"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "",
			Handler: nil,
		},
		{
			Name: "flushdb", Arity: -1, Flags: Write, Cats: CatKeyspace | CatDangerous,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "server", Complexity: "",
			Summary: "",
			Syntax:  `[async(ASYNC>4.0.0|SYNC>6.2.0)]`,
			Handler: nil,
		},
		{
			Name: "flushall", Arity: -1, Flags: Write, Cats: CatKeyspace | CatDangerous,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "server", Complexity: "",
			Summary: "",
			Syntax:  `[async(ASYNC>4.0.0|SYNC>6.2.0)]`,
			Handler: nil,
		},
		{
			Name: "time", Arity: 1, Flags: Loading | Stale | Fast,
			Tips:  []string{"nondeterministic_output"},
			Since: "2.6.0", Group: "server", Complexity: "O(1)",
			Summary: "",
			Handler: nil,
		},
		{
			Name: "command", Arity: -1, Flags: Loading | Stale, Cats: CatConnection,
			Tips:  []string{"nondeterministic_output_order"},
			Since: "2.8.13", Group: "server", Complexity: "",
			Summary: "",
			Subs: []*Spec{
				{
					Name: "getkeysandflags", Arity: -4, Flags: Loading | Stale, Cats: CatConnection,
					Since: "7.0.0", Complexity: "",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "help", Arity: 2, Flags: Loading | Stale, Cats: CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "list", Arity: -2, Flags: Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output_order"},
					Since: "7.0.0", Complexity: "",
					Summary: "",
					Syntax:  `[FILTERBY:filterby(MODULE:module-name|ACLCAT:category|PATTERN:pattern*)]`,
					Handler: nil,
				},
				{
					Name: "info", Arity: -2, Flags: Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output_order"},
					Since: "2.8.13", Complexity: "",
					Summary: "",
					Syntax:  `[command-name...]`,
					Handler: nil,
				},
				{
					Name: "count", Arity: 2, Flags: Loading | Stale, Cats: CatConnection,
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "docs", Arity: -2, Flags: Loading | Stale, Cats: CatConnection,
					Tips:  []string{"nondeterministic_output_order"},
					Since: "7.0.0", Complexity: "",
					Summary: "",
					Syntax:  `[command-name...]`,
					Handler: nil,
				},
				{
					Name: "getkeys", Arity: -4, Flags: Loading | Stale, Cats: CatConnection,
					Since: "2.8.13", Complexity: "",
					Summary: "",
					Handler: nil,
				},
			},
		},
		{
			Name: "info", Arity: -1, Flags: Loading | Stale, Cats: CatDangerous,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "",
			Syntax:  `[section...]`,
			Handler: nil,
		},
		{
			Name: "config", Arity: -2,
			Since: "2.0.0", Group: "server", Complexity: "",
			Summary: "",
			Subs: []*Spec{
				{
					Name: "resetstat", Arity: 2, Flags: Admin | NoScript | Loading | Stale,
					Since: "2.0.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "help", Arity: 2, Flags: Loading | Stale,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "",
					Handler: nil,
				},
				{
					Name: "get", Arity: -3, Flags: Admin | NoScript | Loading | Stale,
					Since: "2.0.0", Complexity: "",
					Summary: "",
					Syntax:  `parameter{parameter}...`,
					Handler: nil,
				},
				{
					Name: "set", Arity: -4, Flags: Admin | NoScript | Loading | Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.0.0", Complexity: "",
					Summary: "",
					Syntax:  `parameter_value{parameter value}...`,
					Handler: nil,
				},
			},
		},
		{
			Name: "debug", Arity: -2, Flags: Admin | NoScript | Loading | Stale,
			Since: "1.0.0", Group: "server", Complexity: "", DocFlags: []string{"syscmd"},
			Summary: "",
			Handler: nil,
		},
	}
}
