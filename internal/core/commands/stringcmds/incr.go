package stringcmds

import (
	"math"
	"math/big"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func incr(c *server.Ctx) reply.Value { return incrBy(c, 1) }
func decr(c *server.Ctx) reply.Value { return incrBy(c, -1) }

func incrby(c *server.Ctx) reply.Value {
	by, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	return incrBy(c, by)
}

func decrby(c *server.Ctx) reply.Value {
	by, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case by == math.MinInt64:
		return reply.Err("ERR decrement would overflow")
	}
	return incrBy(c, -by)
}

func incrBy(c *server.Ctx, by int64) reply.Value {
	key := c.Args[1]
	s, err := c.DB.String(key)
	if err != nil {
		return server.WrongType()
	}
	n := int64(0)
	if s != nil {
		var ok bool
		if n, ok = s.Int(); !ok {
			return reply.Err(errtext.NotInteger)
		}
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return reply.Err(errtext.Overflow)
	}
	n += by
	if s == nil {
		s = c.DB.NewText(key)
	}
	s.SetInt(c.Server.Store, n)
	c.Emit(datastore.ClassString, "incrby", key)
	return reply.Int(n)
}

func incrbyfloat(c *server.Ctx) reply.Value {
	key := c.Args[1]
	s, err := c.DB.String(key)
	if err != nil {
		return server.WrongType()
	}
	value, ok := new(big.Float).SetPrec(parse.LongDoubleBits), true
	if s != nil {
		value, ok = parse.LongDouble(s.Text())
	}
	by, ok2 := parse.LongDouble(c.Args[2])
	if !ok || !ok2 {
		return reply.Err(errtext.NotFloat)
	}
	sum, ok := parse.AddLongDouble(value, by)
	if !ok {
		return reply.Err(errtext.NaNInfinity)
	}
	text := parse.FormatLongDouble(sum)
	if s == nil {
		s = c.DB.NewText(key)
	}
	s.SetPlain(c.Server.Store, text)
	c.Emit(datastore.ClassString, "incrbyfloat", key)
	if c.HasEffects() { // later versions may add and round in another way
		c.EffectIs("SET", key, text, "KEEPTTL")
	}
	return reply.Bulk(text)
}
