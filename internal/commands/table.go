package commands

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands/admin"
	"github.com/redmoon-lua/redmoon/internal/commands/bits"
	"github.com/redmoon-lua/redmoon/internal/commands/cluster"
	"github.com/redmoon-lua/redmoon/internal/commands/connection"
	"github.com/redmoon-lua/redmoon/internal/commands/debugging"
	"github.com/redmoon-lua/redmoon/internal/commands/geo"
	"github.com/redmoon-lua/redmoon/internal/commands/hashes"
	"github.com/redmoon-lua/redmoon/internal/commands/keys"
	"github.com/redmoon-lua/redmoon/internal/commands/lists"
	"github.com/redmoon-lua/redmoon/internal/commands/persistence"
	"github.com/redmoon-lua/redmoon/internal/commands/pubsub"
	"github.com/redmoon-lua/redmoon/internal/commands/replication"
	"github.com/redmoon-lua/redmoon/internal/commands/scripting"
	"github.com/redmoon-lua/redmoon/internal/commands/sets"
	"github.com/redmoon-lua/redmoon/internal/commands/settings"
	"github.com/redmoon-lua/redmoon/internal/commands/streams"
	"github.com/redmoon-lua/redmoon/internal/commands/strings"
	"github.com/redmoon-lua/redmoon/internal/commands/transactions"
	"github.com/redmoon-lua/redmoon/internal/commands/users"
	"github.com/redmoon-lua/redmoon/internal/commands/zsets"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// tables makes the tables on first use.
var tables = [...]func() *cmdtable.Table{
	cmdtable.Redis70: sync.OnceValue(func() *cmdtable.Table { return newTable(cmdtable.Redis70, families()) }),
	cmdtable.Redis74: sync.OnceValue(func() *cmdtable.Table { return newTable(cmdtable.Redis74, families()) }),
	cmdtable.Redis80: sync.OnceValue(func() *cmdtable.Table { return newTable(cmdtable.Redis80, families()) }),
}

// newTable returns a table that servers can use.
func newTable(c cmdtable.Compat, families []func() []*cmdtable.Spec) *cmdtable.Table {
	return server.PrepareTable(cmdtable.NewTable(c, families))
}

// TableOf returns the table of all commands of a version of Redis. It is immutable and shared by
// all engines.
func TableOf(c cmdtable.Compat) *cmdtable.Table { return tables[c]() }

// families lists the functions that declare the rows. Their order is that of COMMAND.
func families() []func() []*cmdtable.Spec {
	return []func() []*cmdtable.Spec{
		keys.Rows,
		keys.DumpRows,
		strings.Rows,
		bits.Rows,
		bits.HyperLogLogRows,
		hashes.Rows,
		hashes.ExpireRows,
		lists.Rows,
		sets.Rows,
		zsets.Rows,
		streams.Rows,
		geo.Rows,
		keys.SortRows,
		transactions.Rows,
		scripting.Rows,
		scripting.FunctionRows,
		connection.Rows,
		pubsub.Rows,
		users.Rows,
		keys.DatabaseRows,
		admin.Rows,
		settings.Rows,
		connection.MonitorRows,
		debugging.Rows,
		admin.SlowlogRows,
		admin.LatencyRows,
		admin.MemoryRows,
		persistence.Rows,
		admin.ShutdownRows,
		replication.Rows,
		keys.MigrateRows,
		cluster.Rows,
		admin.ModuleRows,
	}
}
