package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// monitorRows declares MONITOR.
func monitorRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "monitor", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Since: "1.0.0", Group: "server", Complexity: "O(N) per command, for N arguments",
			Summary: "Sends every command to this session from now on",
			Reply:   `ok`,
			Reads:   cmdtable.Clients,
			Changes: cmdtable.Connection,
		},
	}
}
