package listcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"blmove":     blmove,
		"blmpop":     blmpop,
		"blpop":      blpop,
		"brpop":      brpop,
		"brpoplpush": brpoplpush,
		"lindex":     lindex,
		"linsert":    linsert,
		"llen":       llen,
		"lmove":      lmove,
		"lmpop":      lmpop,
		"lpop":       lpop,
		"lpos":       lpos,
		"lpush":      lpush,
		"lpushx":     lpushx,
		"lrange":     lrange,
		"lrem":       lrem,
		"lset":       lset,
		"ltrim":      ltrim,
		"rpop":       rpop,
		"rpoplpush":  rpoplpush,
		"rpush":      rpush,
		"rpushx":     rpushx,
	}
}
