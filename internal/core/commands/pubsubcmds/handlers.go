package pubsubcmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Handlers are the handlers of the rows, by their full names.
func Handlers() map[string]server.Handler {
	return map[string]server.Handler{
		"subscribe":            func(c *server.Ctx) reply.Value { return subscribe(c, server.OnChannel) },
		"psubscribe":           func(c *server.Ctx) reply.Value { return subscribe(c, server.OnPattern) },
		"ssubscribe":           func(c *server.Ctx) reply.Value { return subscribe(c, server.OnShard) },
		"unsubscribe":          func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnChannel) },
		"punsubscribe":         func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnPattern) },
		"sunsubscribe":         func(c *server.Ctx) reply.Value { return unsubscribe(c, server.OnShard) },
		"publish":              publish,
		"spublish":             spublish,
		"pubsub|help":          pubSubHelp(),
		"pubsub|channels":      func(c *server.Ctx) reply.Value { return listChannels(c, server.OnChannel) },
		"pubsub|shardnumsub":   func(c *server.Ctx) reply.Value { return countSubscribers(c, server.OnShard) },
		"pubsub|numpat":        func(c *server.Ctx) reply.Value { return reply.Int(int64(len(c.Server.Topics[server.OnPattern].List))) },
		"pubsub|numsub":        func(c *server.Ctx) reply.Value { return countSubscribers(c, server.OnChannel) },
		"pubsub|shardchannels": func(c *server.Ctx) reply.Value { return listChannels(c, server.OnShard) },
	}
}
