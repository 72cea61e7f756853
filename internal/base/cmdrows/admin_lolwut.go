package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// lolwutRow declares LOLWUT.
func lolwutRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "lolwut", Arity: -1, Flags: cmdtable.ReadOnly | cmdtable.Fast,
		Spread: cmdtable.SpreadAny,
		Since:  "5.0.0", Group: "server", Complexity: "O(N) for N pixels",
		Summary: "Draws a picture and shows the version",
		Reply:   `text`,
		Reads:   cmdtable.Nothing,
		Varies:  cmdtable.ByServer | cmdtable.ByChance,
		Syntax:  `[VERSION:version#]`,
	}
}
