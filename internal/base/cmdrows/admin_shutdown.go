package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// shutdownRows declares SHUTDOWN.
func shutdownRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `[save-selector(NOSAVE|SAVE)] [NOW>7.0.0] [FORCE>7.0.0] [ABORT>7.0.0]`),
				arguments("-/8.0.0", `[abort-selector(save-selector-block{[save-selector(NOSAVE|SAVE)] [NOW>7.0.0] [FORCE>7.0.0] `+
					`[SAFE>-/9.0.0] [FAILOVER>-/9.0.0]}|ABORT>7.0.0)]`),
			},
			Name: "shutdown", Arity: -1,
			Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.NoMulti | cmdtable.AllowBusy,
			Since: "1.0.0", Group: "server", Complexity: "O(N) when it saves N keys",
			Summary: "Ends the server",
			Reply:   `any`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Clients | cmdtable.Files,
			Syntax:  `[nosave_save(NOSAVE|SAVE)] [NOW>7.0.0] [FORCE>7.0.0] [ABORT>7.0.0]`,
		},
	}
}
