package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// scriptingRows declares EVAL, its variants and SCRIPT.
func scriptingRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "eval", Arity: -3, Runs: cmdtable.RunsSource, LuaText: 1,
			Flags: cmdtable.MayReplicate | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RW|cmdtable.Access|cmdtable.Update, 2)},
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a Lua script",
			Reply:   `any`,
			Changes: cmdtable.Scripts,
			Syntax:  `script numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "evalsha", Arity: -3, Runs: cmdtable.RunsSHA,
			Flags: cmdtable.MayReplicate | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RW|cmdtable.Access|cmdtable.Update, 2)},
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a cached Lua script by its SHA1",
			Reply:   `any`,
			Reads:   cmdtable.Scripts,
			Syntax:  `sha1 numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "eval_ro", Arity: -3, Runs: cmdtable.RunsSource, LuaText: 1,
			Flags: cmdtable.ReadOnly | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RO|cmdtable.Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a Lua script that may not write",
			Reply:   `any`,
			Changes: cmdtable.Scripts,
			Syntax:  `script numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "evalsha_ro", Arity: -3, Runs: cmdtable.RunsSHA,
			Flags: cmdtable.ReadOnly | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RO|cmdtable.Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the script",
			Summary: "Runs a cached Lua script by its SHA1, without writes",
			Reply:   `any`,
			Reads:   cmdtable.Scripts,
			Syntax:  `sha1 numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "script", Arity: -2,
			Since: "2.6.0", Group: "scripting", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about the script cache",
			Subs: []*cmdtable.Spec{
				{
					Later: []cmdtable.Change{
						arity("-/9.0.0", -3),
						arguments("7.2.0", `mode(YES|SYNC|NO) [engine>-/9.1.0]`),
					},
					Name: "debug", Arity: 3, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting,
					Since: "3.2.0", Complexity: "O(1)",
					Summary: "Turns the debugger for scripts on or off",
					Reply:   `ok`,
					Changes: cmdtable.Session,
					Syntax:  `mode(YES|SYNC|NO) [engine>>-/9.1.0]`,
				},
				{
					Later: []cmdtable.Change{
						gains("-/9.0.0", cmdtable.Stale),
						arguments("7.2.0", `[flush-type(ASYNC|SYNC)>6.2.0]`),
					},
					Name: "flush", Arity: -2, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.6.0", Complexity: "O(N) for N cached scripts",
					Summary: "Empties the script cache",
					Reply:   `ok`,
					Changes: cmdtable.Scripts,
					Syntax:  `[async(ASYNC|SYNC)>6.2.0]`,
				},
				{
					Name: "load", Arity: 3, LuaText: 2, Flags: cmdtable.NoScript | cmdtable.Stale, Cats: cmdtable.CatScripting,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.6.0", Complexity: "O(N), where N is the length of the script",
					Summary: "Puts a script into the cache without running it",
					Reply:   `text`,
					Changes: cmdtable.Scripts,
					Syntax:  `script`,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatScripting,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of SCRIPT",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Later: []cmdtable.Change{gains("-/9.0.0", cmdtable.Stale)},
					Name:  "exists", Arity: -3, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting,
					Tips:  []string{"request_policy:all_shards", "response_policy:agg_logical_and"},
					Since: "2.6.0", Complexity: "O(N) for N scripts",
					Summary: "Reports which scripts are in the cache",
					Reply:   `[int]`,
					Reads:   cmdtable.Scripts,
					Syntax:  `sha1...`,
				},
				{
					Name: "show", Arity: 3, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting,
					Later: []cmdtable.Change{{Since: "-/9.1.0", Set: func(s *cmdtable.Spec) { s.Flags |= cmdtable.Stale }}},
					Since: "-/8.0.0", Complexity: "O(1)",
					Summary: "Returns the text of a script in the cache",
					Reply:   `text`,
					Reads:   cmdtable.Scripts,
					Syntax:  `sha1`,
				},
				{
					Name: "kill", Arity: 2, Flags: cmdtable.NoScript | cmdtable.AllowBusy, Cats: cmdtable.CatScripting,
					Tips:  []string{"request_policy:all_shards", "response_policy:one_succeeded"},
					Since: "2.6.0", Complexity: "O(1)",
					Summary: "Stops the running script if it has not written yet",
					Reply:   `ok`,
					Changes: cmdtable.Clients,
				},
			},
		},
	}
}
