package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// hotkeysRows declares HOTKEYS.
func hotkeysRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "hotkeys", Arity: -2,
			Since: "8.6.0/-", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands that find the keys which cost the most",
			Subs: []*cmdtable.Spec{
				{
					Name: "start", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript,
					Tips:  []string{"request_policy:special"},
					Since: "8.6.0/-", Complexity: "O(1)",
					Summary: "Begins to measure what keys cost",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
					Syntax: `METRICS:metrics{count# [CPU] [NET]} [COUNT:k#] [DURATION:seconds#] [SAMPLE:ratio#] ` +
						`[SLOTS:slots{count# slot#...}]`,
				},
				{
					Name: "stop", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript,
					Tips:  []string{"request_policy:special"},
					Since: "8.6.0/-", Complexity: "O(1)",
					Summary: "Ends the measurement",
					Reply:   `ok; nil`,
					Changes: cmdtable.Statistics,
				},
				{
					Name: "get", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript,
					Tips:  []string{"nondeterministic_output", "request_policy:special", "response_policy:special"},
					Since: "8.6.0/-", Complexity: "O(K) for K keys",
					Summary: "Returns the keys that cost the most",
					Reply:   `[any]; nil`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Name: "reset", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript,
					Tips:  []string{"request_policy:special"},
					Since: "8.6.0/-", Complexity: "O(1)",
					Summary: "Forgets what was measured",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "8.6.1/-", Complexity: "O(1)",
					Summary: "Lists the subcommands of HOTKEYS",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
			},
		},
	}
}
