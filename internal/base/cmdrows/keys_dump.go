package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// dumpRows declares DUMP and RESTORE.
func dumpRows() []*cmdtable.Spec {
	const restoreSyntax = `key@0 ttl# serialized-value [REPLACE>3.0.0] [ABSTTL>5.0.0] [IDLETIME:seconds#>5.0.0] [FREQ:frequency#>5.0.0]`
	return []*cmdtable.Spec{
		{
			Name: "dump", Arity: 2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatKeyspace,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output"},
			Since: "2.6.0", Group: "generic", Complexity: "O(N) for N bytes of elements",
			Summary: "Returns the value of a key in serialized form",
			Reply:   `text|nil`,
			Varies:  cmdtable.ByServer,
			Syntax:  `key@0`,
		},
		{
			Name: "restore", Arity: -4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1)},
			Since: "2.6.0", Group: "generic", Complexity: "O(N) for N bytes of elements; O(N*log(N)) for sorted sets",
			Summary: "Makes a key from a serialized value",
			Reply:   `ok`,
			Syntax:  restoreSyntax,
		},
		{
			Name: "restore-asking", Arity: -4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Asking,
			Cats:  cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1)},
			Since: "3.0.0", Group: "server", Complexity: "O(N) for N bytes of elements; O(N*log(N)) for sorted sets",
			Summary: "Makes a key from a serialized value while its slot moves between nodes", DocFlags: []string{"syscmd"},
			Reply:  `ok`,
			Syntax: restoreSyntax,
		},
	}
}
