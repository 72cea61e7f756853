package streamcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"xack":                  xack,
		"xackdel":               xackdel,
		"xadd":                  xadd,
		"xautoclaim":            xautoclaim,
		"xcfgset":               xcfgset,
		"xclaim":                xclaim,
		"xdel":                  xdel,
		"xdelex":                xdelex,
		"xidmprecord":           xidmprecord,
		"xlen":                  xlen,
		"xpending":              xpending,
		"xrange":                xrange,
		"xread":                 xread,
		"xreadgroup":            xreadgroup,
		"xrevrange":             xrevrange,
		"xsetid":                xsetid,
		"xtrim":                 xtrim,
		"xgroup|create":         xgroupCreate,
		"xgroup|createconsumer": xgroupCreateConsumer,
		"xgroup|delconsumer":    xgroupDelConsumer,
		"xgroup|destroy":        xgroupDestroy,
		"xgroup|help":           xgroupHelp(),
		"xgroup|setid":          xgroupSetID,
		"xinfo|consumers":       xinfoConsumers,
		"xinfo|groups":          xinfoGroups,
		"xinfo|help":            xinfoHelp(),
		"xinfo|stream":          xinfoStream,
	}
}
