package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// memoryRows declares the commands about memory.
func memoryRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "memory", Arity: -2,
			Since: "4.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about memory",
			Subs: []*cmdtable.Spec{
				{
					Name: "doctor", Arity: 2,
					Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
					Since: "4.0.0", Complexity: "O(1)",
					Summary: "Reports on memory for people",
					Reply:   `text`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "4.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of MEMORY",
					Reply:   `[status]`,
					Reads:   cmdtable.Nothing,
				},
				{
					Later: []cmdtable.Change{gains("-/8.1.0", cmdtable.Loading)},
					Name:  "malloc-stats", Arity: 2,
					Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
					Since: "4.0.0", Complexity: "Depends on the allocator",
					Summary: "Returns the figures of the allocator",
					Reply:   `text`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Later: []cmdtable.Change{gains("-/8.1.0", cmdtable.Loading)},
					Name:  "purge", Arity: 2,
					Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
					Since: "4.0.0", Complexity: "Depends on the amount of memory",
					Summary: "Gives free memory back to the system",
					Reply:   `ok`,
					Changes: cmdtable.Statistics,
				},
				{
					Name: "stats", Arity: 2,
					Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
					Since: "4.0.0", Complexity: "O(1)",
					Summary: "Returns how memory is used",
					Reply:   `{text any}`,
					Reads:   cmdtable.Statistics,
					Varies:  cmdtable.ByServer,
				},
				{
					Name: "usage", Arity: -3, Flags: cmdtable.ReadOnly,
					Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 2, 0, 1)},
					Since: "4.0.0", Complexity: "O(N) for N samples",
					Summary: "Estimates the bytes of a key and its value",
					Reply:   `int|nil`,
					Varies:  cmdtable.ByServer,
					Syntax:  `key@0 [SAMPLES:count#]`,
				},
			},
		},
	}
}
