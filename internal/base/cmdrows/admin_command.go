package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// commandRow declares COMMAND.
func commandRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "command", Arity: -1, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
		Spread: cmdtable.SpreadAny,
		Tips:   []string{"nondeterministic_output_order"},
		Since:  "2.8.13", Group: "server", Complexity: "O(N) for N commands",
		Summary: "Describes every command",
		Reply:   `[any]`,
		Reads:   cmdtable.Settings,
		Varies:  cmdtable.ByOrder,
		Subs: []*cmdtable.Spec{
			{
				Later: []cmdtable.Change{arity("7.2.0", -3), arguments("7.2.0", `command [arg...]`)},
				Name:  "getkeysandflags", Arity: -4, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Since:  "7.0.0", Complexity: "O(N) for N arguments",
				Summary: "Finds the keys in a command line, and how the command uses them",
				Reply:   `[any]`,
				Line:    2,
				Reads:   cmdtable.Nothing,
			},
			{
				Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Since: "5.0.0", Complexity: "O(1)",
				Summary: "Lists the subcommands of COMMAND",
				Reply:   `[status]`,
				Reads:   cmdtable.Nothing,
			},
			{
				Name: "list", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Tips:   []string{"nondeterministic_output_order"},
				Since:  "7.0.0", Complexity: "O(N) for N commands",
				Summary: "Lists the names of the commands",
				Reply:   `[text]`,
				Reads:   cmdtable.Settings,
				Varies:  cmdtable.ByOrder,
				Syntax:  `[FILTERBY:filterby(MODULE:module-name|ACLCAT:category|PATTERN:pattern*)]`,
			},
			{
				Name: "info", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Tips:   []string{"nondeterministic_output_order"},
				Since:  "2.8.13", Complexity: "O(N) for N names",
				Summary: "Describes the commands named, or all",
				Reply:   `[any]`,
				Reads:   cmdtable.Settings,
				Varies:  cmdtable.ByOrder,
				Syntax:  `[command-name...]`,
			},
			{
				Name: "count", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Since:  "2.8.13", Complexity: "O(1)",
				Summary: "Counts the commands",
				Reply:   `int`,
				Reads:   cmdtable.Settings,
				Varies:  cmdtable.ByServer,
			},
			{
				Name: "docs", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Tips:   []string{"nondeterministic_output_order"},
				Since:  "7.0.0", Complexity: "O(N) for N names",
				Summary: "Documents the commands named, or all",
				Reply:   `{text any}`,
				Reads:   cmdtable.Settings,
				Varies:  cmdtable.ByOrder,
				Syntax:  `[command-name...]`,
			},
			{
				Later: []cmdtable.Change{arity("7.2.0", -3), arguments("7.2.0", `command [arg...]`)},
				Name:  "getkeys", Arity: -4, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
				Spread: cmdtable.SpreadAny,
				Since:  "2.8.13", Complexity: "O(N) for N arguments",
				Summary: "Finds the keys in a command line",
				Reply:   `[text]`,
				Line:    2,
				Reads:   cmdtable.Nothing,
			},
		},
	}
}
