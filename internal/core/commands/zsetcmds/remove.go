package zsetcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func zrem(c *server.Ctx) reply.Value {
	key := c.Args[1]
	z, err := c.DB.ZSet(key)
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	removed := int64(0)
	for _, member := range c.Args[2:] {
		if _, ok := z.Remove(member); ok {
			removed++
		}
	}
	if removed > 0 {
		c.EmitN(removed, datastore.ClassZSet, "zrem", key)
		c.DB.DropIfEmpty(key)
	}
	return reply.Int(removed)
}

func zremrangebyrank(c *server.Ctx) reply.Value {
	start, ok := parse.Int(c.Args[2])
	stop, ok2 := parse.Int(c.Args[3])
	if !ok || !ok2 {
		return reply.Err(errtext.NotInteger)
	}
	return zremrange(c, "zremrangebyrank", func(z *datastore.ZSet) (from, to int) { return rankSpan(start, stop, z.Len()) })
}

func zremrangebyscore(c *server.Ctx) reply.Value {
	r, ok := parseScoreRange(c, c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errtext.NotScoreRange)
	}
	return zremrange(c, "zremrangebyscore", func(z *datastore.ZSet) (from, to int) { return z.ScoreSpan(r) })
}

func zremrangebylex(c *server.Ctx) reply.Value {
	r, ok := parseLexRange(c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errtext.NotLexRange)
	}
	return zremrange(c, "zremrangebylex", func(z *datastore.ZSet) (from, to int) { return z.LexSpan(r, false, 0) })
}

// zremrange removes the elements with the ranks that span returns.
func zremrange(c *server.Ctx, event string, span func(*datastore.ZSet) (from, to int)) reply.Value {
	key := c.Args[1]
	z, err := c.DB.ZSet(key)
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	from, to := span(z)
	if from < to {
		z.RemoveRange(from, to)
		c.EmitN(int64(to-from), datastore.ClassZSet, event, key)
		c.DB.DropIfEmpty(key)
	}
	return reply.Int(int64(to - from))
}
