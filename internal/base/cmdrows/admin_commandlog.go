package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// commandlogRows declares COMMANDLOG.
func commandlogRows() []*cmdtable.Spec {
	const logs = `type(SLOW|LARGE-REQUEST|LARGE-REPLY)`
	return []*cmdtable.Spec{
		{
			Name: "commandlog", Arity: -2,
			Since: "-/8.1.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about the logs of slow commands, large requests and large replies",
			Subs: []*cmdtable.Spec{
				{
					Later: []cmdtable.Change{
						arguments("-/8.1.0", `count# type(slow|large-request|large-reply)`),
						arguments("-/9.0.0", `count# type(SLOW|LARGE-REQUEST|LARGE-REPLY)`),
					},
					Name: "get", Arity: 4, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "nondeterministic_output"},
					Since: "-/8.1.0", Complexity: "O(N) for N entries",
					Summary: "Returns the newest entries of a log",
					Reply:   `[any]`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  `count# ` + logs,
				},
				{
					Later: []cmdtable.Change{
						arguments("-/8.1.0", `type(slow|large-request|large-reply)`),
						arguments("-/9.0.0", `type(SLOW|LARGE-REQUEST|LARGE-REPLY)`),
					},
					Name: "len", Arity: 3, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"},
					Since: "-/8.1.0", Complexity: "O(1)",
					Summary: "Counts the entries of a log",
					Reply:   `int`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
					Syntax:  logs,
				},
				{
					Later: []cmdtable.Change{
						arguments("-/8.1.0", `type(slow|large-request|large-reply)`),
						arguments("-/9.0.0", `type(SLOW|LARGE-REQUEST|LARGE-REPLY)`),
					},
					Name: "reset", Arity: 3, Flags: cmdtable.Admin | cmdtable.Loading | cmdtable.Stale,
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "-/8.1.0", Complexity: "O(N) for N entries",
					Summary: "Empties a log",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
					Syntax:  logs,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "-/8.1.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of COMMANDLOG",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
			},
		},
	}
}
