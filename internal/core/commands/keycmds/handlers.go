package keycmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"swapdb":          swapDB,
		"dbsize":          dbSize,
		"flushdb":         flushDB,
		"flushall":        flushAll,
		"dump":            dump,
		"restore":         restore,
		"restore-asking":  restore,
		"del":             del,
		"unlink":          unlink,
		"wait":            waitReplicas,
		"waitaof":         waitFile,
		"exists":          exists,
		"type":            typeOf,
		"keys":            keys,
		"scan":            scanKeys,
		"expire":          expire,
		"pexpire":         pexpire,
		"expireat":        expireat,
		"pexpireat":       pexpireat,
		"ttl":             ttl,
		"pttl":            pttl,
		"expiretime":      expiretime,
		"pexpiretime":     pexpiretime,
		"persist":         persist,
		"rename":          rename,
		"renamenx":        renamenx,
		"randomkey":       randomkey,
		"touch":           touch,
		"copy":            copyKey,
		"move":            move,
		"object|help":     objectHelp(),
		"object|encoding": objectEncoding,
		"object|freq":     objectFreq,
		"object|idletime": objectIdletime,
		"object|refcount": objectRefcount,
		"migrate":         migrateKeys,
		"sort":            sortCmd,
		"sort_ro":         sortRO,
	}
}
