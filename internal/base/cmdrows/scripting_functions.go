package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// functionRows declares FCALL, FCALL_RO and FUNCTION.
func functionRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "fcall", Arity: -3, Runs: cmdtable.RunsFunction,
			Flags: cmdtable.MayReplicate | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RW|cmdtable.Access|cmdtable.Update, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the function",
			Summary: "Calls a function of a library",
			Reply:   `any`,
			Reads:   cmdtable.Libraries,
			Syntax:  `function numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "fcall_ro", Arity: -3, Runs: cmdtable.RunsFunction,
			Flags: cmdtable.ReadOnly | cmdtable.NoScript | cmdtable.Stale | cmdtable.SkipMonitor | cmdtable.NoMandatoryKeys,
			Cats:  cmdtable.CatScripting,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RO|cmdtable.Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the function",
			Summary: "Calls a function of a library, without writes",
			Reply:   `any`,
			Reads:   cmdtable.Libraries,
			Syntax:  `function numkeys# [key@0...] [arg...]`,
		},
		{
			Name: "function", Arity: -2,
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about libraries of functions",
			Subs:    functionSubcommands(),
		},
	}
}

func functionSubcommands() []*cmdtable.Spec {
	everywhere := []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	return []*cmdtable.Spec{
		{
			Name: "delete", Arity: 3, Flags: cmdtable.Write | cmdtable.NoScript, Cats: cmdtable.CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Removes a library",
			Reply:   `ok`,
			Changes: cmdtable.Libraries,
			Syntax:  `library-name`,
		},
		{
			Name: "dump", Arity: 2, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting,
			Spread: cmdtable.SpreadAny,
			Since:  "7.0.0", Complexity: "O(N) for N functions",
			Summary: "Returns all libraries in one value, for FUNCTION RESTORE",
			Reply:   `text`,
			Reads:   cmdtable.Libraries,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `[flush-type(ASYNC|SYNC)]`)},
			Name:  "flush", Arity: -2, Flags: cmdtable.Write | cmdtable.NoScript, Cats: cmdtable.CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(N) for N functions",
			Summary: "Removes all libraries",
			Reply:   `ok`,
			Changes: cmdtable.Libraries,
			Syntax:  `[async(ASYNC|SYNC)]`,
		},
		{
			Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatScripting,
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Lists the subcommands of FUNCTION",
			Reply:   `[status]`,
			Reads:   cmdtable.Nothing,
		},
		{
			Name: "kill", Arity: 2, Flags: cmdtable.NoScript | cmdtable.AllowBusy, Cats: cmdtable.CatScripting,
			Tips:  []string{"request_policy:all_shards", "response_policy:one_succeeded"},
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Stops the running function if it has not written yet",
			Reply:   `ok`,
			Changes: cmdtable.Clients,
		},
		{
			Name: "list", Arity: -2, Flags: cmdtable.NoScript, Cats: cmdtable.CatScripting, Tips: []string{"nondeterministic_output_order"},
			Spread: cmdtable.SpreadAny,
			Since:  "7.0.0", Complexity: "O(N) for N functions",
			Summary: "Describes the libraries and their functions",
			Reply:   `[any]`,
			Reads:   cmdtable.Libraries,
			Varies:  cmdtable.ByOrder,
			Syntax:  `[LIBRARYNAME:library-name-pattern] [WITHCODE]`,
		},
		{
			Name: "load", Arity: -3, LuaText: cmdtable.LastArgument, Library: true, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.NoScript,
			Cats: cmdtable.CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(1), compiling left aside",
			Summary: "Loads a library",
			Reply:   `text`,
			Changes: cmdtable.Libraries,
			Syntax:  `[REPLACE] function-code`,
		},
		{
			Name: "restore", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.NoScript, Cats: cmdtable.CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(N) for N functions in the value",
			Summary: "Loads the libraries of a value that FUNCTION DUMP returned",
			Reply:   `ok`,
			Changes: cmdtable.Libraries,
			Syntax:  `serialized-value [policy(FLUSH|APPEND|REPLACE)]`,
		},
		{
			Name: "stats", Arity: 2, Flags: cmdtable.NoScript | cmdtable.AllowBusy, Cats: cmdtable.CatScripting,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Reports the running function and the number of libraries",
			Reply:   `{text any}`,
			Reads:   cmdtable.Libraries | cmdtable.Clients,
			Varies:  cmdtable.ByServer,
		},
	}
}
