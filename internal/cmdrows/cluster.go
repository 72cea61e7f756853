package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
)

// clusterRows declares the commands about the cluster. Unless it is on, they reply with an error.
func clusterRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "asking", Arity: 1, Flags: cmdtable.Fast, Cats: cmdtable.CatConnection,
			Since: "3.0.0", Group: "cluster", Complexity: "O(1)",
			Summary: "Marks the next command as one that was redirected",
		},
		{
			Name: "readonly", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			Since: "3.0.0", Group: "cluster", Complexity: "O(1)",
			Summary: "Lets this session read from a replica of the cluster",
		},
		{
			Name: "readwrite", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast, Cats: cmdtable.CatConnection,
			Since: "3.0.0", Group: "cluster", Complexity: "O(1)",
			Summary: "Ends the mode that READONLY began",
		},
		{
			Name: "cluster", Arity: -2,
			Since: "3.0.0", Group: "cluster", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about the cluster",
			Subs: []*cmdtable.Spec{
				{
					Name: "addslots", Arity: -3, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(N) for N slots",
					Summary: "Gives slots to this node",
					Syntax:  `slot#...`,
				},
				{
					Name: "addslotsrange", Arity: -4, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "7.0.0", Complexity: "O(N) for N slots",
					Summary: "Gives ranges of slots to this node",
					Syntax:  `start-slot_end-slot{start-slot# end-slot#}...`,
				},
				{
					Name: "bumpepoch", Arity: 2, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Advances the configuration epoch",
				},
				{
					Name: "count-failure-reports", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(N) for N reports",
					Summary: "Counts the failure reports about a node",
					Syntax:  `node-id`,
				},
				{
					Name: "countkeysinslot", Arity: 3, Flags: cmdtable.Stale,
					Spread: cmdtable.SpreadSlot,
					Since:  "3.0.0", Complexity: "O(1)",
					Summary: "Counts the keys of a slot",
					Syntax:  `slot#`,
				},
				{
					Name: "delslots", Arity: -3, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(N) for N slots",
					Summary: "Takes slots from this node",
					Syntax:  `slot#...`,
				},
				{
					Name: "delslotsrange", Arity: -4, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "7.0.0", Complexity: "O(N) for N slots",
					Summary: "Takes ranges of slots from this node",
					Syntax:  `start-slot_end-slot{start-slot# end-slot#}...`,
				},
				{
					Name: "failover", Arity: -2, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Lets this replica take over from its master",
					Syntax:  `[options(FORCE|TAKEOVER)]`,
				},
				{
					Name: "flushslots", Arity: 2, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Takes all slots from this node",
				},
				{
					Name: "forget", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Removes a node from the table of nodes",
					Syntax:  `node-id`,
				},
				{
					Name: "getkeysinslot", Arity: 4, Flags: cmdtable.Stale,
					Spread: cmdtable.SpreadSlot,
					Tips:   []string{"nondeterministic_output"},
					Since:  "3.0.0", Complexity: "O(log(N)) for N keys",
					Summary: "Lists keys of a slot",
					Syntax:  `slot# count#`,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of CLUSTER",
				},
				{
					Name: "info", Arity: 2, Flags: cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Reports the state of this node",
				},
				{
					Name: "keyslot", Arity: 3, Flags: cmdtable.Stale,
					Spread: cmdtable.SpreadAny,
					Since:  "3.0.0", Complexity: "O(N), where N is the length of the key",
					Summary: "Returns the slot of a key",
					Syntax:  `key`,
				},
				{
					Name: "links", Arity: 2, Flags: cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "7.0.0", Complexity: "O(N) for N nodes",
					Summary: "Lists the links to other nodes",
				},
				{
					Name: "meet", Arity: -4, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Introduces this node to another",
					Syntax:  `ip port# [cluster_bus_port#>4.0.0]`,
				},
				{
					Name: "myid", Arity: 2, Flags: cmdtable.Stale,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Returns the name of this node",
				},
				{
					Name: "nodes", Arity: 2, Flags: cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(N) for N nodes",
					Summary: "Describes the nodes that this node knows",
				},
				{
					Name: "replicas", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the replicas of a master",
					Syntax:  `node-id`,
				},
				{
					Name: "replicate", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Makes this node a replica",
					Syntax:  `node-id`,
				},
				{
					Name: "reset", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Stale,
					Since: "3.0.0", Complexity: "O(N) for N nodes; all keys may be flushed",
					Summary: "Resets this node",
					Syntax:  `[hard_soft(HARD|SOFT)]`,
				},
				{
					Name: "saveconfig", Arity: 2, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Writes the table of nodes to disk",
				},
				{
					Name: "set-config-epoch", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Sets the configuration epoch of a new node",
					Syntax:  `config-epoch#`,
				},
				{
					Name: "setslot", Arity: -4, Flags: cmdtable.Admin | cmdtable.Stale | cmdtable.NoAsyncLoading,
					Since: "3.0.0", Complexity: "O(1)",
					Summary: "Gives a slot to a node, or begins and ends its move",
					Syntax:  `slot# subcommand(IMPORTING:node-id|MIGRATING:node-id|NODE:node-id|STABLE)`,
				},
				{
					Name: "shards", Arity: 2, Flags: cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "7.0.0", Complexity: "O(N) for N nodes",
					Summary: "Describes slots and nodes by shard",
				},
				{
					Name: "slaves", Arity: 3, Flags: cmdtable.Admin | cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(1)", Deprecated: "5.0.0", ReplacedBy: "`CLUSTER REPLICAS`",
					Summary: "Lists the replicas of a master",
					Syntax:  `node-id`,
				},
				{
					Name: "slots", Arity: 2, Flags: cmdtable.Stale,
					Tips:  []string{"nondeterministic_output"},
					Since: "3.0.0", Complexity: "O(N) for N nodes", Deprecated: "7.0.0", ReplacedBy: "`CLUSTER SHARDS`",
					Summary: "Describes which nodes serve which slots",
				},
			},
		},
	}
}
