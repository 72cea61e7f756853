package geocmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"geoadd":               geoadd,
		"geodist":              geodist,
		"geohash":              geohashCmd,
		"geopos":               geopos,
		"georadius":            georadius,
		"georadius_ro":         georadiusRO,
		"georadiusbymember":    georadiusbymember,
		"georadiusbymember_ro": georadiusbymemberRO,
		"geosearch":            geosearch,
		"geosearchstore":       geosearchstore,
	}
}
