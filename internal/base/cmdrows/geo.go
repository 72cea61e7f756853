package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// The parts of the geo commands' syntax that several of them share.
const (
	geoUnit   = `unit(M|KM|FT|MI)`
	geoWith   = ` [WITHCOORD] [WITHDIST] [WITHHASH]`
	geoOrder  = ` [order(ASC|DESC)]`
	geoCount  = ` [count{COUNT:count# [ANY]}]`
	geoCount6 = ` [count{COUNT:count# [ANY>6.2.0]}]`
	geoFrom   = ` from(FROMMEMBER:member|FROMLONLAT:longitude_latitude{longitude~ latitude~})`
	geoBy     = ` by(circle{BYRADIUS:radius~ ` + geoUnit + `}|box{BYBOX:width~ height~ ` + geoUnit + `})`
	geoStore  = ` [STORE:key@1] [STOREDIST:key@2]`
)

// geoRows declares the geospatial commands.
func geoRows() []*cmdtable.Spec {
	const searchCost = "O(N + log M) for N members in the cells around the area and M within it"
	old := []string{"deprecated"}
	storeKeys := func(from int) []cmdtable.KeySpec {
		return []cmdtable.KeySpec{
			cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1),
			{Flags: cmdtable.OW | cmdtable.Update, Keyword: "STORE", From: from, Step: 1},
			{Flags: cmdtable.OW | cmdtable.Update, Keyword: "STOREDIST", From: from, Step: 1},
		}
	}
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 [condition(NX|XX)>6.2.0] [change=CH>6.2.0] data{longitude~ latitude~ member}...`),
			},
			Name: "geoadd", Arity: -5, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Update, 1, 0, 1)},
			Since: "3.2.0", Group: "geo", Complexity: "O(log N) a member",
			Summary: "Adds members with their places, or moves those already there",
			Reply:   `int`,
			Syntax:  `key@0 [condition(NX|XX)>6.2.0] [change=CH>6.2.0] longitude_latitude_member{longitude~ latitude~ member}...`,
		},
		{
			Name: "geodist", Arity: -4, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "3.2.0", Group: "geo", Complexity: "O(1)",
			Summary: "Returns the distance between two members",
			Reply:   `number|nil`,
			Syntax:  `key@0 member1 member2 [` + geoUnit + `]`,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `key@0 [member...]`)},
			Name:  "geohash", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "3.2.0", Group: "geo", Complexity: "O(N) for N members",
			Summary:     "Gives the places of members as standard geohashes",
			Reply:       `[text|nil]`,
			LooseSyntax: true,
			Syntax:      `key@0 member...`,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `key@0 [member...]`)},
			Name:  "geopos", Arity: -2, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "3.2.0", Group: "geo", Complexity: "O(N) for N members",
			Summary:     "Gives the longitudes and latitudes of members",
			Reply:       `[any]`,
			LooseSyntax: true,
			Syntax:      `key@0 member...`,
		},
		{
			Later: append(storeKeysLater[:len(storeKeysLater):len(storeKeysLater)],
				arguments("7.2.0", `key@0 longitude~ latitude~ radius~ unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] `+
					`[count-block{COUNT:count# [ANY>6.2.0]}] [order(ASC|DESC)] [store(STORE:storekey"key"@1|`+
					`STOREDIST:storedistkey"key"@2)]`),
				undeprecated("-/9.0.0"),
			),
			Name: "georadius", Arity: -6, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatGeo, Keys: storeKeys(6),
			LocateSlots: storeSlotKeys,
			Since:       "3.2.0", Group: "geo", Complexity: searchCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH and GEOSEARCHSTORE with the BYRADIUS option", DocFlags: old,
			Summary:  "Lists or stores the members within a distance of a place",
			Reply:    `[any]; STORE,STOREDIST: int`,
			ReadForm: cmdtable.ReadForm{Name: "georadius_ro", Unless: []string{"STORE", "STOREDIST"}},
			Syntax:   `key@0 longitude~ latitude~ radius~ ` + geoUnit + geoWith + geoCount6 + geoOrder + geoStore,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 longitude~ latitude~ radius~ unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] `+
					`[count-block{COUNT:count# [ANY>6.2.0]}] [order(ASC|DESC)]`),
				undeprecated("-/9.0.0"),
			},
			Name: "georadius_ro", Arity: -6, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "3.2.10", Group: "geo", Complexity: searchCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH with the BYRADIUS option", DocFlags: old,
			Summary: "Lists the members within a distance of a place",
			Reply:   `[any]`,
			Syntax:  `key@0 longitude~ latitude~ radius~ ` + geoUnit + geoWith + geoCount6 + geoOrder,
		},
		{
			Later: append(storeKeysLater[:len(storeKeysLater):len(storeKeysLater)],
				arguments("7.2.0", `key@0 member radius~ unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block{COUNT:count# `+
					`[ANY]}] [order(ASC|DESC)] [store(STORE:storekey"key"@1|STOREDIST:storedistkey"key"@2)]`),
				undeprecated("-/9.0.0"),
			),
			Name: "georadiusbymember", Arity: -5, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatGeo, Keys: storeKeys(5),
			LocateSlots: storeSlotKeys,
			Since:       "3.2.0", Group: "geo", Complexity: searchCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH and GEOSEARCHSTORE with the options BYRADIUS and FROMMEMBER", DocFlags: old,
			Summary:  "Lists or stores the members within a distance of a member",
			Reply:    `[any]; STORE,STOREDIST: int`,
			ReadForm: cmdtable.ReadForm{Name: "georadiusbymember_ro", Unless: []string{"STORE", "STOREDIST"}},
			Syntax:   `key@0 member radius~ ` + geoUnit + geoWith + geoCount + geoOrder + geoStore,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 member radius~ unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block{COUNT:count# `+
					`[ANY]}] [order(ASC|DESC)]`),
				undeprecated("-/9.0.0"),
			},
			Name: "georadiusbymember_ro", Arity: -5, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "3.2.10", Group: "geo", Complexity: searchCost,
			Deprecated: "6.2.0", ReplacedBy: "GEOSEARCH with the options BYRADIUS and FROMMEMBER", DocFlags: old,
			Summary: "Lists the members within a distance of a member",
			Reply:   `[any]`,
			Syntax:  `key@0 member radius~ ` + geoUnit + geoWith + geoCount + geoOrder,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `key@0 from(FROMMEMBER:member|FROMLONLAT:fromlonlat{longitude~ latitude~}) `+
					`by(circle{BYRADIUS:radius~ unit(M|KM|FT|MI)}|box{BYBOX:width~ height~ unit(M|KM|FT|MI)}) [order(ASC|`+
					`DESC)] [count-block{COUNT:count# [ANY]}] [WITHCOORD] [WITHDIST] [WITHHASH]`),
				arguments("-/9.0.0", `key@0 [from(FROMMEMBER:member|FROMLONLAT:fromlonlat{longitude~ latitude~})] `+
					`by(circle{BYRADIUS:radius~ unit(M|KM|FT|MI)}|box{BYBOX:width~ height~ unit(M|KM|FT|MI)}|`+
					`polygon{BYPOLYGON:num-vertices# vertices{longitude~ latitude~}...}>-/9.0.0) [order(ASC|DESC)] `+
					`[count-block{COUNT:count# [ANY]}] [WITHCOORD] [WITHDIST] [WITHHASH]`),
			},
			Name: "geosearch", Arity: -7, Flags: cmdtable.ReadOnly, Cats: cmdtable.CatGeo,
			Keys:  []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 1, 0, 1)},
			Since: "6.2.0", Group: "geo", Complexity: searchCost,
			Summary: "Lists the members within a circle or box",
			Reply:   `[any]`,
			Syntax:  `key@0` + geoFrom + geoBy + geoOrder + geoCount + geoWith,
		},
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `destination@0 source@1 from(FROMMEMBER:member|FROMLONLAT:fromlonlat{longitude~ latitude~}) `+
					`by(circle{BYRADIUS:radius~ unit(M|KM|FT|MI)}|box{BYBOX:width~ height~ unit(M|KM|FT|MI)}) [order(ASC|`+
					`DESC)] [count-block{COUNT:count# [ANY]}] [STOREDIST]`),
				arguments("-/9.0.0", `destination@0 source@1 [from(FROMMEMBER:member|FROMLONLAT:fromlonlat{longitude~ latitude~})] `+
					`by(circle{BYRADIUS:radius~ unit(M|KM|FT|MI)}|box{BYBOX:width~ height~ unit(M|KM|FT|MI)}|`+
					`polygon{BYPOLYGON:num-vertices# vertices{longitude~ latitude~}...}>-/9.0.0) [order(ASC|DESC)] `+
					`[count-block{COUNT:count# [ANY]}] [STOREDIST]`),
			},
			Name: "geosearchstore", Arity: -8, Flags: cmdtable.Write | cmdtable.DenyOOM, Cats: cmdtable.CatGeo,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.OW|cmdtable.Update, 1, 0, 1), cmdtable.KeyRange(cmdtable.RO|cmdtable.Access, 2, 0,
				1)},
			Since: "6.2.0", Group: "geo", Complexity: searchCost,
			Summary: "Stores the members within a circle or box under another key",
			Reply:   `int`,
			Syntax:  `destination@0 source@1` + geoFrom + geoBy + geoOrder + geoCount + ` [STOREDIST]`,
		},
	}
}

// storeKeysLater says that the keys behind STORE and STOREDIST are not the whole truth: the last of
// several counts.
var storeKeysLater = []cmdtable.Change{
	keyFlags("8.0.0/-", cmdtable.Incomplete, 0, 1, 2), keyFlags("8.2.0/-", 0, cmdtable.Incomplete, 1, 2),
	keyFlags("-/9.0.0", cmdtable.VariableFlags, 0, 1, 2),
}
