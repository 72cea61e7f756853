package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// transactionsRows declares the commands of transactions.
func transactionsRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{gains("-/8.0.0", cmdtable.NoMulti)},
			Name:  "multi", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.AllowBusy,
			Cats:        cmdtable.CatTransaction,
			RunsInMulti: true,
			Since:       "1.2.0", Group: "transactions", Complexity: "O(1)",
			Summary: "Opens a transaction",
			Reply:   `ok`,
			Changes: cmdtable.Transaction,
		},
		{
			Name: "exec", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.SkipSlowlog,
			Cats:        cmdtable.CatTransaction,
			RunsInMulti: true, IsExec: true,
			Since: "1.2.0", Group: "transactions", Complexity: "Sum of the queued commands",
			Summary: "Runs the queued commands as one atomic step",
			Reply:   `[any]|nil`,
			Changes: cmdtable.Transaction,
		},
		{
			Name: "discard", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.AllowBusy,
			Cats:        cmdtable.CatTransaction,
			RunsInMulti: true,
			Since:       "2.0.0", Group: "transactions", Complexity: "O(N) for N queued commands",
			Summary: "Drops the queued commands and closes the transaction",
			Reply:   `ok`,
			Changes: cmdtable.Transaction,
		},
		{
			Later: []cmdtable.Change{gains("-/8.0.0", cmdtable.NoMulti)},
			Name:  "watch", Arity: -2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.AllowBusy,
			Cats:        cmdtable.CatTransaction,
			RunsInMulti: true,
			Keys:        []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, -1, 1)},
			Since:       "2.2.0", Group: "transactions", Complexity: "O(1) per key",
			Summary: "Makes the next EXEC fail if one of the keys changes",
			Reply:   `ok`,
			Changes: cmdtable.Transaction,
			Syntax:  `key@0...`,
		},
		{
			Name: "unwatch", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast | cmdtable.AllowBusy,
			Cats:  cmdtable.CatTransaction,
			Since: "2.2.0", Group: "transactions", Complexity: "O(1)",
			Summary: "Forgets all watched keys",
			Reply:   `ok`,
			Changes: cmdtable.Transaction,
		},
	}
}
