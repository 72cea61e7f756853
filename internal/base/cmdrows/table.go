package cmdrows

import (
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// tables makes the tables on first use.
var tables = [...]func() *cmdtable.Table{
	cmdtable.Redis70: sync.OnceValue(func() *cmdtable.Table { return cmdtable.NewTable(cmdtable.Redis70, families()) }),
	cmdtable.Redis74: sync.OnceValue(func() *cmdtable.Table { return cmdtable.NewTable(cmdtable.Redis74, families()) }),
	cmdtable.Redis80: sync.OnceValue(func() *cmdtable.Table { return cmdtable.NewTable(cmdtable.Redis80, families()) }),
}

// TableOf returns the table of all commands of a version of Redis. It is immutable and shared.
func TableOf(c cmdtable.Compat) *cmdtable.Table { return tables[c]() }

// families lists the functions that declare the rows. Their order is that of COMMAND.
func families() []func() []*cmdtable.Spec {
	return []func() []*cmdtable.Spec{
		keysRows,
		dumpRows,
		stringsRows,
		bitsRows,
		hyperLogLogRows,
		hashesRows,
		expireRows,
		listsRows,
		setsRows,
		zsetsRows,
		streamsRows,
		geoRows,
		sortRows,
		transactionsRows,
		scriptingRows,
		functionRows,
		connectionRows,
		pubsubRows,
		usersRows,
		databaseRows,
		adminRows,
		settingsRows,
		monitorRows,
		debuggingRows,
		slowlogRows,
		latencyRows,
		memoryRows,
		persistenceRows,
		shutdownRows,
		replicationRows,
		migrateRows,
		clusterRows,
		moduleRows,
	}
}
