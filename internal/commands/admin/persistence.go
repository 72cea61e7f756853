package admin

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// PersistenceRows declares the commands about files of the data set, and SHUTDOWN.
func PersistenceRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "save", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "1.0.0", Group: "server", Complexity: "O(N) for N keys",
			Summary: "Writes the data set to a file",
			Handler: save,
		},
		{
			Name: "bgsave", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Writes the data set to a file in the background",
			Syntax:  `[SCHEDULE>3.2.2]`,
			Handler: bgsave,
		},
		{
			Name: "bgrewriteaof", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Rewrites the append-only file in the background",
			Handler: bgrewriteaof,
		},
		{
			Name: "lastsave", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatAdmin | cmdtable.CatDangerous,
			Tips:  []string{"nondeterministic_output"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Returns when the data set was last saved, as a Unix time",
			Handler: lastsave,
		},
		{
			Name: "shutdown", Arity: -1,
			Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.NoMulti | cmdtable.AllowBusy,
			Since: "1.0.0", Group: "server", Complexity: "O(N) when it saves N keys",
			Summary: "Ends the server",
			Syntax:  `[nosave_save(NOSAVE|SAVE)] [NOW>7.0.0] [FORCE>7.0.0] [ABORT>7.0.0]`,
			Handler: shutdown,
		},
	}
}
