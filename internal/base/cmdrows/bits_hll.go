package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// hyperLogLogRows declares the commands on HyperLogLogs.
func hyperLogLogRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "pfadd", Arity: -2, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHyperLogLog,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 1, 0, 1)},
			Since: "2.8.9", Group: "hyperloglog", Complexity: "O(1) for each element",
			Summary: "Adds elements to a HyperLogLog, which is made where there is none",
			Reply:   `int`,
			Syntax:  `key@0 [element...]`,
		},
		{
			Name: "pfcount", Arity: -2, Flags: cmdtable.ReadOnly | cmdtable.MayReplicate, Cats: cmdtable.CatHyperLogLog,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access, 1, -1, 1)},
			Since: "2.8.9", Group: "hyperloglog", Complexity: "O(1) for one key, O(N) for N keys",
			Summary: "Estimates how many different elements were added to one HyperLogLog, or to several together",
			Reply:   `int`,
			Syntax:  `key@0...`,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `destkey@0 [sourcekey@1...]`)},
			Name:  "pfmerge", Arity: -2, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatHyperLogLog,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Insert, 1, 0, 1),
				cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, -1, 1)},
			Since: "2.8.9", Group: "hyperloglog", Complexity: "O(N) for N keys",
			Summary:     "Adds to a HyperLogLog what others hold",
			Reply:       `ok`,
			LooseSyntax: true,
			Syntax:      `destkey@0 sourcekey@1...`,
		},
		{
			Name: "pfdebug", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Admin, Cats: cmdtable.CatHyperLogLog,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access, 2, 0, 1)},
			Since: "2.8.9", Group: "hyperloglog", Complexity: "O(1)", DocFlags: []string{"syscmd"},
			Summary: "Shows how a HyperLogLog is stored, or makes it dense",
			Reply:   `any`,
			Syntax:  `subcommand key@0`,
		},
		{
			Name: "pfselftest", Arity: 1, Flags: cmdtable.Admin, Cats: cmdtable.CatHyperLogLog,
			Spread: cmdtable.SpreadAny,
			Since:  "2.8.9", Group: "hyperloglog", Complexity: "O(1)", DocFlags: []string{"syscmd"},
			Summary: "Tests the HyperLogLogs of this build",
			Reply:   `ok`,
			Reads:   cmdtable.Nothing,
		},
	}
}
