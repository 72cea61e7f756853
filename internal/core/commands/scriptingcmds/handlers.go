package scriptingcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"fcall":            fcall,
		"fcall_ro":         fcallRO,
		"function|delete":  functionDelete,
		"function|dump":    functionDump,
		"function|flush":   functionFlush,
		"function|help":    functionHelp(),
		"function|kill":    functionKill,
		"function|list":    functionList,
		"function|load":    functionLoad,
		"function|restore": functionRestore,
		"function|stats":   functionStats,
		"eval":             eval,
		"evalsha":          evalSHA,
		"eval_ro":          evalRO,
		"evalsha_ro":       evalSHARO,
		"script|debug":     scriptDebug,
		"script|flush":     scriptFlush,
		"script|load":      scriptLoad,
		"script|help":      scriptHelp(),
		"script|exists":    scriptExists,
		"script|kill":      scriptKill,
		"script|show":      scriptShow,
	}
}
