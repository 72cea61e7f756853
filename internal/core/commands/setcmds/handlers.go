package setcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"sadd":        sadd,
		"scard":       scard,
		"sdiff":       sdiff,
		"sdiffstore":  sdiffstore,
		"sinter":      sinter,
		"sintercard":  sintercard,
		"sinterstore": sinterstore,
		"sismember":   sismember,
		"smembers":    smembers,
		"smismember":  smismember,
		"smove":       smove,
		"spop":        spop,
		"srandmember": srandmember,
		"srem":        srem,
		"sscan":       sscan,
		"sunion":      sunion,
		"sunionstore": sunionstore,
	}
}
