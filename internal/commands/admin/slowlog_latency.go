package admin

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// TimingRows declares SLOWLOG and LATENCY, which report how long commands take.
func TimingRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "slowlog", Arity: -2,
			Since: "2.2.12", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about the log of slow commands",
			Subs: []*cmdtable.Spec{
				{
					Name: "get", Arity: -2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "nondeterministic_output"},
					Since: "2.2.12", Complexity: "O(N) for N entries",
					Summary: "Returns the newest entries of the slow log",
					Syntax:  `[count#]`,
					Handler: slowlogGet,
				},
				{
					Name: "len", Arity: 2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"},
					Since: "2.2.12", Complexity: "O(1)",
					Summary: "Counts the entries of the slow log",
					Handler: slowlogLen,
				},
				{
					Name: "reset", Arity: 2, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.2.12", Complexity: "O(N) for N entries",
					Summary: "Empties the slow log",
					Handler: slowlogReset,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "6.2.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of SLOWLOG",
					Handler: slowlogHelp(),
				},
			},
		},
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
					Handler: latencyDoctor,
				},
				{
					Name: "graph", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Draws the samples of an event",
					Syntax:  `event`,
					Handler: latencyGraph,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Lists the subcommands of LATENCY",
					Handler: latencyHelp(),
				},
				{
					Name: "histogram", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "7.0.0", Complexity: "O(N) for N commands",
					Summary: "Returns how the times of commands are distributed",
					Syntax:  `[command...]`,
					Handler: latencyHistogram,
				},
				{
					Name: "history", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Returns the samples of an event",
					Syntax:  `event`,
					Handler: latencyHistory,
				},
				{
					Name: "latest", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Returns the newest sample of each event",
					Handler: latencyLatest,
				},
				{
					Name: "reset", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.8.13", Complexity: "O(1)",
					Summary: "Forgets the samples of events",
					Syntax:  `[event...]`,
					Handler: latencyReset,
				},
			},
		},
	}
}
