package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// setsRows declares the commands on sets.
func setsRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "sadd", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 1, 0, 1)},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members to add",
			Summary: "Adds members to a set, which is created where it is missing",
			Syntax:  `key@0 member...`,
		},
		{
			Name: "scard", Arity: 2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "1.0.0", Group: "set", Complexity: "O(1)",
			Summary: "Counts the members of a set",
			Syntax:  `key@0`,
		},
		{
			Name: "sdiff", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, -1, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members in all sets together",
			Summary: "Returns the members of the first set that none of the others holds",
			Syntax:  `key@0...`,
		},
		{
			Name: "sdiffstore", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1), cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, -1,
				1)},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members in all sets together",
			Summary: "Stores the members of the first set that none of the others holds",
			Syntax:  `destination@0 key@1...`,
		},
		{
			Name: "sinter", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, -1, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "1.0.0", Group: "set", Complexity: "O(N*M) for N members of the smallest of M sets",
			Summary: "Returns the members that all sets hold",
			Syntax:  `key@0...`,
		},
		{
			Name: "sintercard", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyNum(cmdtable.RO|cmdtable.Access, 1)},
			Since: "7.0.0", Group: "set", Complexity: "O(N*M) for N members of the smallest of M sets",
			Summary: "Counts the members that all sets hold, up to a limit",
			Syntax:  `numkeys# key@0... [LIMIT:limit#]`,
		},
		{
			Name: "sinterstore", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1), cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, -1,
				1)},
			Since: "1.0.0", Group: "set", Complexity: "O(N*M) for N members of the smallest of M sets",
			Summary: "Stores the members that all sets hold",
			Syntax:  `destination@0 key@1...`,
		},
		{
			Name: "sismember", Arity: 3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "1.0.0", Group: "set", Complexity: "O(1)",
			Summary: "Reports whether a string is a member of a set",
			Syntax:  `key@0 member`,
		},
		{
			Name: "smembers", Arity: 2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for a set of N members",
			Summary: "Returns all members of a set",
			Syntax:  `key@0`,
		},
		{
			Name: "smismember", Arity: -3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "6.2.0", Group: "set", Complexity: "O(N) for N strings",
			Summary: "Reports which of several strings are members of a set",
			Syntax:  `key@0 member...`,
		},
		{
			Name: "smove", Arity: 4, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 1, 0, 1),
				cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 2, 0, 1)},
			Since: "1.0.0", Group: "set", Complexity: "O(1)",
			Summary: "Moves a member from one set to another",
			Syntax:  `source@0 destination@1 member`,
		},
		{
			Name: "spop", Arity: -2, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 1, 0, 1)},
			Tips:  []string{"nondeterministic_output"},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members removed",
			Summary: "Removes and returns members of a set chosen at random",
			Syntax:  `key@0 [count#>3.2.0]`,
		},
		{
			Name: "srandmember", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output"},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members returned",
			Summary: "Returns members of a set chosen at random",
			Syntax:  `key@0 [count#>2.6.0]`,
		},
		{
			Name: "srem", Arity: -3, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatSet,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members to remove",
			Summary: "Removes members of a set",
			Syntax:  `key@0 member...`,
		},
		{
			Name: "sscan", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output"},
			Since: "2.8.0", Group: "set", Complexity: "O(1) a call, O(N) for a whole walk through N members",
			Summary: "Walks through the members of a set, some at a time",
			Syntax:  `key@0 cursor# [MATCH:pattern*] [COUNT:count#]`,
		},
		{
			Name: "sunion", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, -1, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members in all sets together",
			Summary: "Returns the members that any of the sets holds",
			Syntax:  `key@0...`,
		},
		{
			Name: "sunionstore", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatSet,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1), cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, -1,
				1)},
			Since: "1.0.0", Group: "set", Complexity: "O(N) for N members in all sets together",
			Summary: "Stores the members that any of the sets holds",
			Syntax:  `destination@0 key@1...`,
		},
	}
}
