package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// settingsRows declares CONFIG.
func settingsRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "config", Arity: -2,
			Since: "2.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary:   "Contains the commands about configuration parameters",
			Passwords: allFrom(2), // a misspelled SET, for example
			Subs: []*cmdtable.Spec{
				{
					Later: []cmdtable.Change{everywhere("7.2.0")},
					Name:  "rewrite", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Since: "2.8.0", Complexity: "O(1)",
					Summary: "Writes the parameters to the configuration file",
					Reply:   `ok`,
					Reads:   cmdtable.Settings,
					Changes: cmdtable.Files,
				},
				{
					Later: []cmdtable.Change{everywhere("7.2.0")},
					Name:  "resetstat", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadAll,
					Since:  "2.0.0", Complexity: "O(1)",
					Summary: "Sets the counters of INFO back to zero",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of CONFIG",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Later: []cmdtable.Change{arguments("7.2.0", `parameter...`)},
					Name:  "get", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadAny,
					Since:  "2.0.0", Complexity: "O(N) for N patterns",
					Summary:        "Returns the parameters whose names match the patterns",
					Reply:          `{text text}`,
					ShowsPasswords: asksForPassword,
					Reads:          cmdtable.Settings,
					Syntax:         `parameter{parameter}...`,
				},
				{
					Later: []cmdtable.Change{arguments("7.2.0", `data{parameter value}...`)},
					Name:  "set", Arity: -4, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					ChangesParsing: true,
					Tips:           []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since:          "2.0.0", Complexity: "O(N) for N parameters",
					Summary:   "Changes parameters, all of them or none",
					Reply:     `ok`,
					Hidden:    hiddenInConfig,
					Passwords: passwordsInConfig,
					Changes:   cmdtable.Settings,
					Syntax:    `parameter_value{parameter value}...`,
				},
			},
		},
	}
}
