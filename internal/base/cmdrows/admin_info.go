package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// infoRow declares INFO.
func infoRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "info", Arity: -1, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatDangerous,
		Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
		Since: "1.0.0", Group: "server", Complexity: "O(1)",
		Summary: "Reports the state and the counters of the server",
		Reply:   `text`,
		Reads:   cmdtable.AllKeys | cmdtable.Databases | cmdtable.Settings | cmdtable.Statistics | cmdtable.Clients | cmdtable.Servers,
		Varies:  cmdtable.ByServer,
		Syntax:  `[section...]`,
	}
}
