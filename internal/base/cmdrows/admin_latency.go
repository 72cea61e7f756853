package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// latencyRows declares LATENCY.
func latencyRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "latency", Arity: -2,
			Since: "2.8.13", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about latency",
			Subs: []*cmdtable.Spec{
				{
					Name: "doctor", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Reports on latency for people",
					Reply:   `text`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Name: "graph", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Draws the samples of an event",
					Reply:   `text`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `event`,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Lists the subcommands of LATENCY",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Name: "histogram", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "7.0.0", Complexity: "O(N) for N commands",
					Summary: "Returns how the times of commands are distributed",
					Reply:   `{text any}`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `[command...]`,
				},
				{
					Name: "history", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Returns the samples of an event",
					Reply:   `[any]`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `event`,
				},
				{
					Name: "latest", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Returns the newest sample of each event",
					Reply:   `[any]`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Later: []cmdtable.Change{tips("7.2.0", "request_policy:all_nodes", "response_policy:agg_sum")},
					Name:  "reset", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Forgets the samples of events",
					Reply:   `int`,
					Changes: cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `[event...]`,
				},
			},
		},
	}
}
