package settingcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"config|rewrite":   configRewrite,
		"config|resetstat": configResetStat,
		"config|help":      configHelp(),
		"config|get":       configGet,
		"config|set":       configSet,
	}
}
