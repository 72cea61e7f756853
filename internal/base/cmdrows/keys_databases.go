package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// databaseRows declares the commands on whole databases, which belong to the group server.
func databaseRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "swapdb", Arity: 3, Flags: cmdtable.Write | cmdtable.Fast, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			DBs:   cmdtable.UsesDB1And2,
			Since: "4.0.0", Group: "server", Complexity: "O(N) for N watched keys",
			Summary: "Exchanges the contents of two databases",
			Reply:   `ok`,
			Changes: cmdtable.AllKeys | cmdtable.Databases,
			Syntax:  `index1# index2#`,
		},
		{
			Name: "dbsize", Arity: 1, Flags: cmdtable.ReadOnly | cmdtable.Fast, Cats: cmdtable.CatKeyspace,
			Tips:  []string{"request_policy:all_shards", "response_policy:agg_sum"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Counts the keys of the database",
			Reply:   `int`,
			Reads:   cmdtable.AllKeys,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `[flush-type(ASYNC>4.0.0|SYNC>6.2.0)]`)},
			Name:  "flushdb", Arity: -1, Flags: cmdtable.Write, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "server", Complexity: "O(N) for N watched keys; the memory is freed in the background",
			Summary: "Deletes all keys of the database",
			Reply:   `ok`,
			Changes: cmdtable.AllKeys,
			Syntax:  `[async(ASYNC>4.0.0|SYNC>6.2.0)]`,
		},
		{
			Later: []cmdtable.Change{arguments("7.2.0", `[flush-type(ASYNC>4.0.0|SYNC>6.2.0)]`)},
			DBs:   cmdtable.UsesAllDBs,
			Name:  "flushall", Arity: -1, Flags: cmdtable.Write, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Since: "1.0.0", Group: "server", Complexity: "O(N) for N watched keys; the memory is freed in the background",
			Summary: "Deletes all keys of all databases",
			Reply:   `ok`,
			Changes: cmdtable.AllKeys | cmdtable.Databases,
			Syntax:  `[async(ASYNC>4.0.0|SYNC>6.2.0)]`,
		},
	}
}
