package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// replicationRows declares the commands about masters and replicas.
func replicationRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "role", Arity: 1, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.Fast,
			Cats:  cmdtable.CatAdmin | cmdtable.CatDangerous,
			Since: "2.8.12", Group: "server", Complexity: "O(1)",
			Summary: "Describes the role of this server in replication",
			Reply:   `[any]`,
			Reads:   cmdtable.Servers,
			Varies:  cmdtable.ByServer,
		},
		{
			Name: "replicaof", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale | cmdtable.NoAsyncLoading,
			Since: "5.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Makes the server a replica of another, or a master",
			Reply:   `ok|status`,
			Changes: cmdtable.AllKeys | cmdtable.Databases | cmdtable.Servers,
			Syntax:  `args(host-port{host port#}|no-one{NO ONE})`,
		},
		{
			Name: "slaveof", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale | cmdtable.NoAsyncLoading,
			Since: "1.0.0", Group: "server", Complexity: "O(1)", Deprecated: "5.0.0", ReplacedBy: "`REPLICAOF`",
			Summary: "Makes the server a replica of another, or a master",
			Reply:   `ok|status`,
			Changes: cmdtable.AllKeys | cmdtable.Databases | cmdtable.Servers,
			Syntax:  `args(host-port{host port#}|no-one{NO ONE})`,
		},
		{
			Name: "sync", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "1.0.0", Group: "server", Complexity: "O(N), where N is the size of the data set",
			Summary: "Asks for a copy of the data set as a replica",
			Reply:   `any`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Connection | cmdtable.Servers,
		},
		{
			Name: "psync", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.NoAsyncLoading | cmdtable.NoMulti,
			Since: "2.8.0", Group: "server", Complexity: "O(N), where N is the size of the data set",
			Summary: "Asks for what a replica has missed",
			Reply:   `any`,
			Reads:   cmdtable.AllKeys | cmdtable.Databases,
			Changes: cmdtable.Connection | cmdtable.Servers,
			Syntax:  `replicationid offset#`,
		},
		{
			Name: "replconf", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale | cmdtable.AllowBusy,
			Since: "3.0.0", Group: "server", Complexity: "O(1)", DocFlags: []string{"syscmd"},
			Summary: "Gives a master information about its replica",
			Reply:   `any`,
			Changes: cmdtable.Session | cmdtable.Servers,
		},
		{
			Name: "failover", Arity: -1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale,
			Since: "6.2.0", Group: "server", Complexity: "O(1)",
			Summary: "Hands the part of master over to a replica",
			Reply:   `ok`,
			Changes: cmdtable.Servers | cmdtable.Clients,
			Syntax:  `[TO:target{host port# [FORCE]}] [ABORT] [TIMEOUT:milliseconds#]`,
		},
	}
}
