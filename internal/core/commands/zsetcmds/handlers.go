package zsetcmds

import "github.com/redmoon-lua/redmoon/internal/core/server"

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"bzmpop":           bzmpop,
		"bzpopmax":         bzpopmax,
		"bzpopmin":         bzpopmin,
		"zadd":             zadd,
		"zcard":            zcard,
		"zcount":           zcount,
		"zdiff":            zdiff,
		"zdiffstore":       zdiffstore,
		"zincrby":          zincrby,
		"zinter":           zinter,
		"zintercard":       zintercard,
		"zinterstore":      zinterstore,
		"zlexcount":        zlexcount,
		"zmpop":            zmpop,
		"zmscore":          zmscore,
		"zpopmax":          zpopmax,
		"zpopmin":          zpopmin,
		"zrandmember":      zrandmember,
		"zrange":           zrangeCmd,
		"zrangebylex":      zrangebylex,
		"zrangebyscore":    zrangebyscore,
		"zrangestore":      zrangestore,
		"zrank":            zrank,
		"zrem":             zrem,
		"zremrangebylex":   zremrangebylex,
		"zremrangebyrank":  zremrangebyrank,
		"zremrangebyscore": zremrangebyscore,
		"zrevrange":        zrevrange,
		"zrevrangebylex":   zrevrangebylex,
		"zrevrangebyscore": zrevrangebyscore,
		"zrevrank":         zrevrank,
		"zscan":            zscan,
		"zscore":           zscore,
		"zunion":           zunion,
		"zunionstore":      zunionstore,
	}
}
