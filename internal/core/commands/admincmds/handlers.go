package admincmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"command":                 commandAll,
		"command|getkeysandflags": commandGetKeysAndFlags,
		"command|help":            commandHelp(),
		"command|list":            commandList,
		"command|info":            commandInfo,
		"command|count":           commandCount,
		"command|docs":            commandDocs,
		"command|getkeys":         commandGetKeys,
		"info":                    info,
		"latency|doctor":          latencyDoctor,
		"latency|graph":           latencyGraph,
		"latency|help":            latencyHelp(),
		"latency|histogram":       latencyHistogram,
		"latency|history":         latencyHistory,
		"latency|latest":          latencyLatest,
		"latency|reset":           latencyReset,
		"lolwut":                  lolwut,
		"memory|doctor":           memoryDoctor,
		"memory|help":             memoryHelp(),
		"memory|malloc-stats":     memoryMallocStats,
		"memory|purge":            memoryPurge,
		"memory|stats":            memoryStats,
		"memory|usage":            memoryUsage,
		"module|help":             moduleHelp(),
		"module|list":             moduleList,
		"module|load":             moduleLoad,
		"module|loadex":           moduleLoad,
		"module|unload":           moduleUnload,
		"shutdown":                shutdown,
		"commandlog|get":          commandlogGet,
		"commandlog|len":          commandlogLen,
		"commandlog|reset":        commandlogReset,
		"commandlog|help":         commandlogHelp(),
		"slowlog|get":             slowlogGet,
		"slowlog|len":             slowlogLen,
		"slowlog|reset":           slowlogReset,
		"slowlog|help":            slowlogHelp(),
		"time":                    timeNow,
	}
}
