package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// timeRow declares TIME.
func timeRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "time", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast,
		Spread: cmdtable.SpreadAny,
		Tips:   []string{"nondeterministic_output"},
		Since:  "2.6.0", Group: "server", Complexity: "O(1)",
		Summary: "Returns the time of the server in seconds and microseconds",
		Reply:   `[number]`,
		Reads:   cmdtable.Nothing,
		Varies:  cmdtable.ByClock | cmdtable.ByDate,
	}
}
