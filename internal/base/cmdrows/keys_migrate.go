package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// migrateRows declares MIGRATE.
func migrateRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Later: []cmdtable.Change{
				arguments("7.2.0", `host port# key-selector(key@0|empty-string=) destination-db# timeout# [COPY>3.0.0] `+
					`[REPLACE>3.0.0] [authentication(AUTH:auth"password">4.0.7|AUTH2:auth2{username password}>6.0.0)] `+
					`[KEYS:keys"key"@1...>3.0.6]`),
			},
			Name: "migrate", Arity: -6, Flags: cmdtable.Write, Cats: cmdtable.CatKeyspace | cmdtable.CatDangerous,
			Keys: []cmdtable.KeySpec{cmdtable.KeyRange(cmdtable.RW|cmdtable.Access|cmdtable.Delete, 3, 0, 1),
				{Flags: cmdtable.RW | cmdtable.Access | cmdtable.Delete | cmdtable.Incomplete, Keyword: "KEYS", From: -2, Last: -1, Step: 1}},
			Tips:  []string{"nondeterministic_output"},
			Since: "2.6.0", Group: "generic", Complexity: "O(N), where N is the size of the values",
			Summary:   "Moves keys to another server",
			Reply:     `ok|status`,
			Hidden:    hiddenInMigrate,
			Passwords: passwordsInMigrate,
			Changes:   cmdtable.Servers,
			Varies:    cmdtable.ByServer,
			Syntax: `host port# key_or_empty_string(key@0|empty_string=) destination-db# timeout# [COPY>3.0.0] [REPLACE>3.0.0] ` +
				`[authentication([AUTH:password>4.0.7]|[AUTH2:username_password{username password}>6.0.0])] [KEYS:key@1...>3.0.6]`,
			Locate:     locateMigrateKeys,
			WritesLate: true, // until the target has answered, a script that waits for it may be stopped
		},
	}
}
