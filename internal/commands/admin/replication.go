package admin

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// ReplicationRows declares the commands about masters and replicas. There is always one master
// without replicas.
func ReplicationRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "role", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast,
			Cats:  cmdtable.CatAdmin | cmdtable.CatDangerous,
			Since: "2.8.12", Group: "server", Complexity: "O(1)",
			Summary: "Describes the role of this server in replication",
			Handler: role,
		},
		{
			Name: "replicaof", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale | cmdtable.NoAsyncLoading,
			Since: "5.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Makes the server a replica of another, or a master",
			Syntax:  `args(host-port{host port#}|no-one{NO ONE})`,
			Handler: replicaOf,
		},
		{
			Name: "slaveof", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)", Deprecated: "5.0.0", ReplacedBy: "`REPLICAOF`",
			Summary: "Makes the server a replica of another, or a master",
			Syntax:  `args(host-port{host port#}|no-one{NO ONE})`,
			Handler: replicaOf,
		},
		{
			Name: "sync", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "1.0.0", Group: "server", Complexity: "O(N), where N is the size of the data set",
			Summary: "Asks for a copy of the data set as a replica",
			Handler: replicationMissing,
		},
		{
			Name: "psync", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "2.8.0", Group: "server", Complexity: "O(N), where N is the size of the data set",
			Summary: "Asks for what a replica has missed",
			Syntax:  `replicationid offset#`,
			Handler: replicationMissing,
		},
		{
			Name: "replconf", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.AllowBusy,
			Since: "3.0.0", Group: "server", Complexity: "O(1)", DocFlags: []string{"syscmd"},
			Summary: "Gives a master information about its replica",
			Handler: replicationMissing,
		},
		{
			Name: "failover", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale,
			Since: "6.2.0", Group: "server", Complexity: "O(1)",
			Summary: "Hands the part of master over to a replica",
			Syntax:  `[TO:target{host port# [FORCE]}] [ABORT] [TIMEOUT:milliseconds#]`,
			Handler: failover,
		},
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

// role describes a master whose replication has not begun.
func role(*server.Ctx) reply.Value {
	return reply.Array(reply.Bulk("master"), reply.Int(0), reply.Array())
}
