package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// debuggingRows declares DEBUG.
func debuggingRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "debug", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			NeedsDebugPermission: true,
			Since:                "1.0.0", Group: "server", Complexity: "Depends on the subcommand", DocFlags: []string{"syscmd"},
			Summary: "Holds commands for testing the server",
			Reply:   `any`,
			Changes: cmdtable.AllKeys | cmdtable.Databases | cmdtable.Settings | cmdtable.Statistics | cmdtable.Clients | cmdtable.Files,
		},
	}
}
