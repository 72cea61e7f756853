package cmdrows

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// TableOf returns the table of all commands of a server. It is immutable and shared.
func TableOf(s servers.Server) *cmdtable.Table { return tables(s) }

// tables makes the tables on first use.
var tables = servers.Lazily(func(s servers.Server) *cmdtable.Table { return cmdtable.NewTable(s, families()) })

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
		commandlogRows,
		hotkeysRows,
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

// fromScripts is the change of blocking commands that scripts may call, where they do not wait.
var fromScripts = []cmdtable.Change{{Since: "7.2.0", Set: func(s *cmdtable.Spec) { s.Flags &^= cmdtable.NoScript }}}
