package zsetcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func bzpopmin(c *server.Ctx) reply.Value { return blockingZPop(c, false) }

func bzpopmax(c *server.Ctx) reply.Value { return blockingZPop(c, true) }

func blockingZPop(c *server.Ctx, fromMax bool) reply.Value {
	timeout, bad, ok := parse.Timeout(c.Args[len(c.Args)-1], c.LongestTimeout())
	if !ok {
		return bad
	}
	return c.ServeOrBlock(timeout, reply.NilArray(), server.BlockOptions{
		On: datastore.TypeZSet, Keys: c.Args[1 : len(c.Args)-1],
		Serve: func(c *server.Ctx, key string) (reply.Value, bool) {
			z, err := c.DB.ZSet(key)
			if z == nil || err != nil {
				return server.MissingKey(err)
			}
			if c.HasEffects() {
				c.EffectIs(zpopName(fromMax), key)
			}
			el := zpop(c, key, z, fromMax, 1, false).Slice()
			return reply.Array(reply.Bulk(key), el[0], el[1]), true
		},
	})
}

// zpopName returns the command that pops from an end of a sorted set.
func zpopName(fromMax bool) string {
	if fromMax {
		return "ZPOPMAX"
	}
	return "ZPOPMIN"
}

func bzmpop(c *server.Ctx) reply.Value {
	m, bad, ok := parse.Mpop(c.Args[2:], "min", "max")
	if !ok {
		return bad
	}
	timeout, bad, ok := parse.Timeout(c.Args[1], c.LongestTimeout())
	if !ok {
		return bad
	}
	return c.ServeOrBlock(timeout, reply.NilArray(), server.BlockOptions{
		On: datastore.TypeZSet, Keys: m.Keys,
		Serve: func(c *server.Ctx, key string) (reply.Value, bool) { return zpopManyOf(c, key, m.Last, m.Count) },
	})
}
