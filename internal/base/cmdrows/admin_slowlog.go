package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// slowlogRows declares SLOWLOG.
func slowlogRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{deprecated("-/8.1.0", "8.1.0"), undeprecated("-/9.0.0")},
			Name:  "slowlog", Arity: -2,
			Since: "2.2.12", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about the log of slow commands",
			Subs: []*cmdtable.Spec{
				{
					Later: []cmdtable.Change{deprecated("-/8.1.0", "8.1.0"), undeprecated("-/9.0.0")},
					Name:  "get", Arity: -2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "nondeterministic_output"},
					Since: "2.2.12", Complexity: "O(N) for N entries",
					Summary: "Returns the newest entries of the slow log",
					Reply:   `[any]`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `[count#]`,
				},
				{
					Later: []cmdtable.Change{deprecated("-/8.1.0", "8.1.0"), undeprecated("-/9.0.0")},
					Name:  "len", Arity: 2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"},
					Since: "2.2.12", Complexity: "O(1)",
					Summary: "Counts the entries of the slow log",
					Reply:   `int`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Later: []cmdtable.Change{deprecated("-/8.1.0", "8.1.0"), undeprecated("-/9.0.0")},
					Name:  "reset", Arity: 2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.2.12", Complexity: "O(N) for N entries",
					Summary: "Empties the slow log",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
				},
				{
					Later: []cmdtable.Change{deprecated("-/8.1.0", "8.1.0"), undeprecated("-/9.0.0")},
					Name:  "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of SLOWLOG",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
			},
		},
	}
}
