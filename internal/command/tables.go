package command

import "sync"

// theTables makes the tables on first use.
var theTables = [...]func() *Table{
	Redis70: sync.OnceValue(func() *Table { return NewTable(Redis70, families()) }),
	Redis74: sync.OnceValue(func() *Table { return NewTable(Redis74, families()) }),
	Redis80: sync.OnceValue(func() *Table { return NewTable(Redis80, families()) }),
}

// Table returns the table of all commands of a version of Redis. It is immutable and shared by all
// engines.
func TableOf(c Compat) *Table { return theTables[c]() }

// families lists the functions that declare the rows, one a family.
func families() []func() []*Spec {
	return []func() []*Spec{
		keyCommands,
		dumpCommands,
		stringCommands,
		bitmapCommands,
		hllCommands,
		hashCommands,
		hashFieldCommands,
		listCommands,
		setCommands,
		zsetCommands,
		streamCommands,
		geoCommands,
		sortCommands,
		txCommands,
		scriptingCommands,
		functionCommands,
		connectionCommands, pubSubCommands,
		aclCommands,
		serverCommands,
		watchCommands,
		memoryCommands,
		persistenceCommands,
		replicationCommands,
		clusterCommands,
		moduleCommands,
	}
}
