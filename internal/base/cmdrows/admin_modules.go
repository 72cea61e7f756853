package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// moduleRows declares the commands about modules.
func moduleRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "module", Arity: -2,
			Since: "4.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about modules",
			Subs: []*cmdtable.Spec{
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of MODULE",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Name: "list", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript,
					Spread: cmdtable.SpreadAny,
					Tips:   []string{"nondeterministic_output_order"},
					Since:  "4.0.0", Complexity: "O(N) for N modules",
					Summary: "Lists the modules",
					Reply:   `[any]`,
					Reads:   cmdtable.Settings,
					Varies:  cmdtable.ByOrder,
				},
				{
					Name: "load", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
					Since: "4.0.0", Complexity: "O(1)",
					Summary:   "Loads a module",
					Reply:     `ok`,
					Passwords: allFrom(3),
					Reads:     cmdtable.Files,
					Changes:   cmdtable.Settings,
					Syntax:    `path [arg...]`,
				},
				{
					Later: []cmdtable.Change{arguments("7.2.0", `path [CONFIG:configs{name value}+...] [ARGS:args...]`)},
					Name:  "loadex", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
					Since: "7.0.0", Complexity: "O(1)",
					Summary:   "Loads a module with parameters",
					Reply:     `ok`,
					Passwords: allFrom(3),
					Reads:     cmdtable.Files,
					Changes:   cmdtable.Settings,
					Syntax:    `path [CONFIG:configs{name value}+...] [ARGS:args{arg}...]`,
				},
				{
					Name: "unload", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
					Since: "4.0.0", Complexity: "O(1)",
					Summary: "Unloads a module",
					Reply:   `ok`,
					Changes: cmdtable.Settings,
					Syntax:  `name`,
				},
			},
		},
	}
}
