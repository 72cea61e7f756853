package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// hashesRows declares the commands on hashes.
func hashesRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "hdel", Arity: -3, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Delete, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for N fields to remove",
			Summary: "Removes fields of a hash",
			Syntax:  `key@0 field...`,
		},
		{
			Name: "hexists", Arity: 3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(1)",
			Summary: "Reports whether a field is in a hash",
			Syntax:  `key@0 field`,
		},
		{
			Name: "hget", Arity: 3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(1)",
			Summary: "Returns the value of a field of a hash",
			Syntax:  `key@0 field`,
		},
		{
			Name: "hgetall", Arity: 2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatHash,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for a hash of N fields",
			Summary: "Returns all fields of a hash and their values",
			Syntax:  `key@0`,
		},
		{
			Name: "hincrby", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(1)",
			Summary: "Adds an integer to the number in a field of a hash, 0 where the field is missing",
			Syntax:  `key@0 field increment#`,
		},
		{
			Name: "hincrbyfloat", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "2.6.0", Group: "hash", Complexity: "O(1)",
			Summary: "Adds a floating-point number to the number in a field of a hash, 0 where the field is missing",
			Syntax:  `key@0 field increment~`,
		},
		{
			Name: "hkeys", Arity: 2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatHash,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for a hash of N fields",
			Summary: "Returns all fields of a hash",
			Syntax:  `key@0`,
		},
		{
			Name: "hlen", Arity: 2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(1)",
			Summary: "Counts the fields of a hash",
			Syntax:  `key@0`,
		},
		{
			Name: "hmget", Arity: -3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for N fields",
			Summary: "Returns the values of several fields of a hash",
			Syntax:  `key@0 field...`,
		},
		{
			Name: "hmset", Arity: -4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for N fields to set", Deprecated: "4.0.0",
			ReplacedBy: "HSET, which takes several fields", DocFlags: []string{"deprecated"},
			Summary: "Sets several fields of a hash",
			Syntax:  `key@0 field_value{field value}...`,
		},
		{
			Name: "hrandfield", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatHash,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output"},
			Since: "6.2.0", Group: "hash", Complexity: "O(N) for N fields returned",
			Summary: "Returns fields of a hash chosen at random",
			Syntax:  `key@0 [options{count# [WITHVALUES]}]`,
		},
		{
			Name: "hscan", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatHash,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output"},
			Since: "2.8.0", Group: "hash", Complexity: "O(1) a call, O(N) for a whole walk through N fields",
			Summary: "Walks through the fields and values of a hash, some at a time",
			Syntax:  `key@0 cursor# [MATCH:pattern*] [COUNT:count#] [NOVALUES>>7.4.0]`,
		},
		{
			Name: "hset", Arity: -4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for N fields to set",
			Summary: "Sets fields of a hash, which is created where it is missing",
			Syntax:  `key@0 field_value{field value}...`,
		},
		{
			Name: "hsetnx", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 1, 0, 1)},
			Since: "2.0.0", Group: "hash", Complexity: "O(1)",
			Summary: "Sets a field of a hash only if the field is not there yet",
			Syntax:  `key@0 field value`,
		},
		{
			Name: "hstrlen", Arity: 3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatHash,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "3.2.0", Group: "hash", Complexity: "O(1)",
			Summary: "Returns the length in bytes of the value of a field of a hash",
			Syntax:  `key@0 field`,
		},
		{
			Name: "hvals", Arity: 2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatHash,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)}, Tips: []string{"nondeterministic_output_order"},
			Since: "2.0.0", Group: "hash", Complexity: "O(N) for a hash of N fields",
			Summary: "Returns all values of a hash",
			Syntax:  `key@0`,
		},
	}
}
