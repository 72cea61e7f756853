package keys

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// MigrateRows declares MIGRATE.
func MigrateRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "migrate", Arity: -6, Flags: cmdtable.Write, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 3, 0, 1),
				{Flags: cmdtable.RW | cmdtable.Access | cmdtable.Delete | cmdtable.Incomplete, Keyword: "KEYS", From: -2, Last: -1, Step: 1}},
			Tips:  []string{"nondeterministic_output"},
			Since: "2.6.0", Group: "generic", Complexity: "O(N), where N is the size of the values",
			Summary: "Moves keys to another server",
			Syntax: `host port# key_or_empty_string(key@0|empty_string=) destination-db# timeout# [COPY>3.0.0] [REPLACE>3.0.0] ` +
				`[authentication([AUTH:password>4.0.7]|[AUTH2:username_password{username password}>6.0.0])] [KEYS:key@1...>3.0.6]`,
			Handler: migrate,
		},
	}
}

// migrate checks its arguments as Redis does, and replies NOKEY when no key exists.
func migrate(c *server.Ctx) reply.Value {
	keys := c.Args[3:4]
	for i := 6; i < c.NArg(); i++ {
		left := c.NArg() - i - 1
		switch arg := strings.ToLower(c.Args[i]); {
		case arg == "copy" || arg == "replace":
		case arg == "auth" && left > 0:
			i++
		case arg == "auth2" && left > 1:
			i += 2
		case arg == "keys":
			if c.Args[3] != "" {
				return reply.Err("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string")
			}
			keys = c.Args[i+1:]
			i = c.NArg()
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	for _, i := range []int{5, 4} {
		if _, ok := parse.Int(c.Args[i]); !ok {
			return reply.Err(errtext.NotInteger)
		}
	}
	there := false
	for _, key := range keys {
		there = c.DB.Lookup(key) != nil || there
	}
	if !there {
		return reply.Status("NOKEY")
	}
	return reply.Err("ERR MIGRATE is not supported")
}
