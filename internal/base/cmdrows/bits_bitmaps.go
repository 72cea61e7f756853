package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// bitsRows declares the commands on bitmaps.
func bitsRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "setbit", Arity: 4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatBitmap,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update, 1, 0, 1)},
			Since: "2.2.0", Group: "bitmap", Complexity: "O(1)",
			Summary: "Writes one bit of a string, which grows where it is too short, and answers the bit that was there",
			Reply:   `int`,
			Syntax:  `key@0 offset# value#`,
		},
		{
			Name: "getbit", Arity: 3, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatBitmap,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.2.0", Group: "bitmap", Complexity: "O(1)",
			Summary: "Returns one bit of a string",
			Reply:   `int`,
			Syntax:  `key@0 offset#`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [range{start# end# [unit(BYTE|BIT)>7.0.0]}]`),
				arguments("-/8.0.0", `key@0 [range{start# [end-unit-block{end# [unit(BYTE|BIT)>7.0.0]}]}]`),
			},
			Name: "bitcount", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatBitmap,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.6.0", Group: "bitmap", Complexity: "O(N) for N bytes",
			Summary: "Counts the bits of a string, or of a part of it, that are one",
			Reply:   `int`,
			Syntax:  `key@0 [index{start# end# [index_unit(BYTE|BIT)>7.0.0]}]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 bit# [range{start# [end-unit-block{end# [unit(BYTE|BIT)>7.0.0]}]}]`),
			},
			Name: "bitpos", Arity: -3, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatBitmap,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "2.8.7", Group: "bitmap", Complexity: "O(N) for N bytes",
			Summary: "Finds the first bit of a string, or of a part of it, that is one or zero",
			Reply:   `int`,
			Syntax:  `key@0 bit# [index{start# [end_index{end# [index_unit(BYTE|BIT)>7.0.0]}]}]`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `operation(AND|OR|XOR|NOT|DIFF>>8.2.0/-|DIFF1>>8.2.0/-|ANDOR>>8.2.0/-|ONE>>8.2.0/-) destkey@0 `+
					`key@1...`),
			},
			Name: "bitop", Arity: -4, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatBitmap,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 2, 0, 1), cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 3, -1,
				1)},
			Since: "2.6.0", Group: "bitmap", Complexity: "O(N) for N bytes",
			Summary: "Combines strings bit by bit and stores the result",
			Reply:   `int`,
			Syntax:  `operation destkey@0 key@1...`,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [operation(GET:get-block{encoding offset#}|write{[OVERFLOW:overflow-block(WRAP|SAT|FAIL)] `+
					`write-operation(SET:set-block{encoding offset# value#}|INCRBY:incrby-block{encoding offset# `+
					`increment#})})...]`),
			},
			Name: "bitfield", Arity: -2, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatBitmap,
			Keys:        []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Update|cmdtable.VariableFlags, 1, 0, 1)},
			FlagsOfKeys: bitfieldKeyFlags,
			Since:       "3.2.0", Group: "bitmap", Complexity: "O(1) for each operation",
			Summary:  "Reads, writes and increments integers of any width inside a string",
			Reply:    `[int|nil]`,
			ReadForm: cmdtable.ReadForm{Name: "bitfield_ro", Unless: []string{"SET", "INCRBY", "OVERFLOW"}},
			Syntax: `key@0 [operation(GET:encoding_offset{encoding offset#}|write{[OVERFLOW:wrap_sat_fail(WRAP|SAT|FAIL)] ` +
				`write_operation(SET:encoding_offset_value{encoding offset# value#}|INCRBY:encoding_offset_increment{encoding offset# ` +
				`increment#})})...]`,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `key@0 [GET:get-block{encoding offset#}+...]`)},
			Name:  "bitfield_ro", Arity: -2, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatBitmap,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "6.0.0", Group: "bitmap", Complexity: "O(1) for each operation",
			Summary: "Reads integers of any width inside a string",
			Reply:   `[int|nil]`,
			Syntax:  `key@0 [GET:encoding_offset{encoding offset#}+...]`,
		},
	}
}
