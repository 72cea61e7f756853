package hashcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"hgetdel":      hgetdel,
		"hgetex":       hgetex,
		"hsetex":       hsetex,
		"hexpire":      hexpire,
		"hpexpire":     hpexpire,
		"hexpireat":    hexpireat,
		"hpexpireat":   hpexpireat,
		"hpersist":     hpersist,
		"httl":         httl,
		"hpttl":        hpttl,
		"hexpiretime":  hexpiretime,
		"hpexpiretime": hpexpiretime,
		"hdel":         hdel,
		"hexists":      hexists,
		"hget":         hget,
		"hgetall":      hgetall,
		"hincrby":      hincrby,
		"hincrbyfloat": hincrbyfloat,
		"hkeys":        hkeys,
		"hlen":         hlen,
		"hmget":        hmget,
		"hmset":        hmset,
		"hrandfield":   hrandfield,
		"hscan":        hscan,
		"hset":         hset,
		"hsetnx":       hsetnx,
		"hstrlen":      hstrlen,
		"hvals":        hvals,
	}
}
