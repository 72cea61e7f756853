package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// persistenceRows declares SAVE, BGSAVE, BGREWRITEAOF and LASTSAVE.
func persistenceRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "save", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "1.0.0", Group: "server", Complexity: "O(N) for N keys",
			Summary: "Writes the data set to a file",
			Reply:   `ok`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Files,
		},
		{
			Later: []cmdtable.Change{arguments("-/8.1.0", `[operation(SCHEDULE>3.2.2|CANCEL>-/8.1.0)]`)},
			Name:  "bgsave", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Writes the data set to a file in the background",
			Reply:   `status`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Files,
			Syntax:  `[SCHEDULE>3.2.2]`,
		},
		{
			Name: "bgrewriteaof", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Rewrites the append-only file in the background",
			Reply:   `status`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Files,
		},
		{
			Name: "lastsave", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatAdmin | cmdtable.CatDangerous,
			Tips:  []string{"nondeterministic_output"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Returns when the data set was last saved, as a Unix time",
			Reply:   `int`,
			Reads:   cmdtable.Statistics,
			Varies:  cmdtable.ByServer | cmdtable.ByDate,
		},
	}
}
