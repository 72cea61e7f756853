package command

// scriptingCommands declares the scripting family.
func scriptingCommands() []*Spec {
	return []*Spec{
		{
			Name: "eval", Arity: -3, Flags: MayReplicate | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RW|Access|Update, 2)},
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a Lua script",
			Syntax:  `script numkeys# [key@0...] [arg...]`,
			Handler: eval,
		},
		{
			Name: "evalsha", Arity: -3, Flags: MayReplicate | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RW|Access|Update, 2)},
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a cached Lua script by its SHA1",
			Syntax:  `sha1 numkeys# [key@0...] [arg...]`,
			Handler: evalSHA,
		},
		{
			Name: "eval_ro", Arity: -3, Flags: ReadOnly | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RO|Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a Lua script that may not write",
			Syntax:  `script numkeys# [key@0...] [arg...]`,
			Handler: evalRO,
		},
		{
			Name: "evalsha_ro", Arity: -3, Flags: ReadOnly | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RO|Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a cached Lua script by its SHA1, without writes",
			Syntax:  `sha1 numkeys# [key@0...] [arg...]`,
			Handler: evalSHARO,
		},
		{
			Name: "script", Arity: -2,
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about the script cache",
			Subs: []*Spec{
				{
					Name: "debug", Arity: 3, Flags: NoScript, Cats: CatScripting,
					Since: "3.2.0", Complexity: "O(1)",
					Summary: "Turns the debugger for scripts on or off",
					Syntax:  `mode(YES|SYNC|NO)`,
					Handler: scriptDebug,
				},
				{
					Name: "flush", Arity: -2, Flags: NoScript, Cats: CatScripting,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.6.0", Complexity: "O(N), N being the number of cached scripts",
					Summary: "Empties the script cache",
					Syntax:  `[async(ASYNC|SYNC)>6.2.0]`,
					Handler: scriptFlush,
				},
				{
					Name: "load", Arity: 3, Flags: NoScript | Stale, Cats: CatScripting,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.6.0", Complexity: "O(N), N being the length of the script",
					Summary: "Puts a script into the cache without running it",
					Syntax:  `script`,
					Handler: scriptLoad,
				},
				{
					Name: "help", Arity: 2, Flags: Loading | Stale, Cats: CatScripting,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of SCRIPT",
					Handler: scriptHelp(),
				},
				{
					Name: "exists", Arity: -3, Flags: NoScript, Cats: CatScripting,
					Tips:  []string{"request_policy:all_shards", "response_policy:agg_logical_and"},
					Since: "2.6.0", Complexity: "O(N), N being the number of scripts asked for",
					Summary: "Tells which scripts are in the cache",
					Syntax:  `sha1...`,
					Handler: scriptExists,
				},
				{
					Name: "kill", Arity: 2, Flags: NoScript | AllowBusy, Cats: CatScripting,
					Tips:  []string{"request_policy:all_shards", "response_policy:one_succeeded"},
					Since: "2.6.0", Complexity: "O(1)",
					Summary: "Stops the running script if it has not written yet",
					Handler: scriptKill,
				},
			},
		},
	}
}
