package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// sortRows declares SORT and SORT_RO.
func sortRows() []*cmdtable.Spec {
	const cats = cmdtable.CatSet | cmdtable.CatSortedSet | cmdtable.CatList | cmdtable.CatDangerous
	const cost = "O(N + M*log M) for N elements, of which M are sorted"
	const syntax = `key@0 [BY:pattern*1] [LIMIT:offset_count{offset# count#}] [GET:pattern*1+...] [order(ASC|DESC)] [sorting=ALPHA]`
	// The keys that BY and GET read depend on the elements; STORE may stand anywhere.
	read, stored := cmdtable.KeySpec{Flags: cmdtable.RO | cmdtable.Access}, cmdtable.KeySpec{Flags: cmdtable.OW | cmdtable.Update}
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [BY:by-pattern"pattern"*1] [LIMIT:limit{offset# count#}] [GET:get-pattern"pattern"*1+...] `+
					`[order(ASC|DESC)] [sorting=ALPHA] [STORE:destination@2]`),
			},
			Name: "sort", Arity: -2, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cats,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1), read, stored}, Locate: sortKeys,
			Patterns: sortPatterns,
			Since:    "1.0.0", Group: "generic", Complexity: cost,
			Summary:  "Sorts a list, set or sorted set, and lists or stores the result",
			Reply:    `[text|nil]; STORE: int`,
			ReadForm: cmdtable.ReadForm{Name: "sort_ro", Unless: []string{"STORE"}},
			Syntax:   syntax + ` [STORE:destination@2]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [BY:by-pattern"pattern"*1] [LIMIT:limit{offset# count#}] [GET:get-pattern"pattern"*1+...] `+
					`[order(ASC|DESC)] [sorting=ALPHA]`),
			},
			Name: "sort_ro", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cats,
			Keys:     []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1), read},
			Patterns: sortPatterns,
			Since:    "7.0.0", Group: "generic", Complexity: cost,
			Summary: "Sorts a list, set or sorted set, and lists the result",
			Reply:   `[text|nil]`,
			Syntax:  syntax,
		},
	}
}
