package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// stringsRows declares the commands on strings.
func stringsRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "set", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys:        []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update|cmdtable.VariableFlags, 1, 0, 1)},
			FlagsOfKeys: setKeyFlags,
			Since:       "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Stores a string under a key in place of any value; optionally under conditions and with an expiry time",
			Syntax: `key@0 value [condition(NX|XX)>2.6.12] [GET>6.2.0] ` +
				`[expiration(EX:seconds#>2.6.12|PX:milliseconds#>2.6.12|` +
				`EXAT:unix-time-seconds^>6.2.0|PXAT:unix-time-milliseconds^>6.2.0|KEEPTTL>6.0.0)]`,
		},
		{
			Name: "get", Arity: 2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Returns the string under a key",
			Syntax:  `key@0`,
		},
		{
			Name: "getset", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)", Deprecated: "6.2.0", ReplacedBy: "SET with the GET option",
			DocFlags: []string{"deprecated"},
			Summary:  "Stores a string and answers the one that was there",
			Syntax:   `key@0 value`,
		},
		{
			Name: "getdel", Arity: 2, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 1, 0, 1)},
			Since: "6.2.0", Group: "string", Complexity: "O(1)",
			Summary: "Returns the string under a key and deletes the key",
			Syntax:  `key@0`,
		},
		{
			Name: "getex", Arity: -2, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "6.2.0", Group: "string", Complexity: "O(1)",
			Summary: "Returns the string under a key and changes when the key expires",
			Syntax:  `key@0 [expiration(EX:seconds#|PX:milliseconds#|EXAT:unix-time-seconds^|PXAT:unix-time-milliseconds^|PERSIST)]`,
		},
		{
			Name: "setnx", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Insert, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Stores a string where the key does not exist yet",
			Syntax:  `key@0 value`,
		},
		{
			Name: "setex", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1)},
			Since: "2.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Stores a string with an expiry time in seconds",
			Syntax:  `key@0 seconds# value`,
		},
		{
			Name: "psetex", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1)},
			Since: "2.6.0", Group: "string", Complexity: "O(1)",
			Summary: "Stores a string with an expiry time in milliseconds",
			Syntax:  `key@0 milliseconds# value`,
		},
		{
			Name: "mset", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, -1, 2)}, Tips: []string{"request_policy:multi_shard",
				"response_policy:all_succeeded"},
			Since: "1.0.1", Group: "string", Complexity: "O(N) for N keys",
			Summary: "Stores several strings in one step",
			Syntax:  `key_value{key@0 value}...`,
		},
		{
			Name: "msetnx", Arity: -3, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Insert, 1, -1, 2)}, Tips: []string{"request_policy:multi_shard",
				"response_policy:agg_min"},
			Since: "1.0.1", Group: "string", Complexity: "O(N) for N keys",
			Summary: "Stores several strings where none of the keys exists yet",
			Syntax:  `key_value{key@0 value}...`,
		},
		{
			Name: "mget", Arity: -2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, -1, 1)}, Tips: []string{"request_policy:multi_shard"},
			Since: "1.0.0", Group: "string", Complexity: "O(N) for N keys",
			Summary: "Returns the strings under several keys",
			Syntax:  `key@0...`,
		},
		{
			Name: "append", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Insert, 1, 0, 1)},
			Since: "2.0.0", Group: "string", Complexity: "O(1) on average",
			Summary: "Adds bytes to the end of a string",
			Syntax:  `key@0 value`,
		},
		{
			Name: "strlen", Arity: 2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO, 1, 0, 1)},
			Since: "2.2.0", Group: "string", Complexity: "O(1)",
			Summary: "Returns the length of a string in bytes",
			Syntax:  `key@0`,
		},
		{
			Name: "incr", Arity: 2, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Adds one to the integer in a string",
			Syntax:  `key@0`,
		},
		{
			Name: "decr", Arity: 2, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Subtracts one from the integer in a string",
			Syntax:  `key@0`,
		},
		{
			Name: "incrby", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Adds a number to the integer in a string",
			Syntax:  `key@0 increment#`,
		},
		{
			Name: "decrby", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)",
			Summary: "Subtracts a number from the integer in a string",
			Syntax:  `key@0 decrement#`,
		},
		{
			Name: "incrbyfloat", Arity: 3, Flags: cmdtable.Write | cmdtable.DenyOOM | cmdtable.Fast, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "2.6.0", Group: "string", Complexity: "O(1)",
			Summary: "Adds a number with a fraction to the number in a string",
			Syntax:  `key@0 increment~`,
		},
		{
			Name: "getrange", Arity: 4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.4.0", Group: "string", Complexity: "O(1)",
			Summary: "Returns the part of a string between two positions",
			Syntax:  `key@0 start# end#`,
		},
		{
			Name: "substr", Arity: 4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "1.0.0", Group: "string", Complexity: "O(1)", Deprecated: "2.0.0", ReplacedBy: "GETRANGE", DocFlags: []string{"deprecated"},
			Summary: "Returns the part of a string between two positions",
			Syntax:  `key@0 start# end#`,
		},
		{
			Name: "setrange", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "2.2.0", Group: "string", Complexity: "O(M) for M bytes written; O(N) for the whole string when it has to be copied",
			Summary: "Overwrites a string from a position on, zero bytes before it where it is shorter",
			Syntax:  `key@0 offset# value`,
		},
		{
			Name: "lcs", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatString,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 1, 1)},
			Since: "7.0.0", Group: "string", Complexity: "O(N*M) for strings of N and M bytes",
			Summary: "Finds the longest common subsequence of two strings",
			Syntax:  `key1@0 key2@0 [LEN] [IDX] [MINMATCHLEN:len#] [WITHMATCHLEN]`,
		},
	}
}
