package command

import (
	"math"
	"math/big"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func incr(c *Ctx) reply.Value { return c.incrBy(1) }
func decr(c *Ctx) reply.Value { return c.incrBy(-1) }

func incrby(c *Ctx) reply.Value {
	by, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	return c.incrBy(by)
}

func decrby(c *Ctx) reply.Value {
	by, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errNotInteger)
	case by == math.MinInt64:
		return reply.Err("ERR decrement would overflow")
	}
	return c.incrBy(-by)
}

func (c *Ctx) incrBy(by int64) reply.Value {
	key := c.Args[1]
	s, err := c.DB.String(key)
	if err != nil {
		return wrongType()
	}
	n := int64(0)
	if s != nil {
		var ok bool
		if n, ok = s.Int(); !ok {
			return reply.Err(errNotInteger)
		}
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return reply.Err(errOverflow)
	}
	n += by
	if s == nil {
		s = c.DB.NewText(key)
	}
	s.SetInt(c.Server.Store, n)
	c.Emit(datastore.ClassString, "incrby", key)
	return reply.Int(n)
}

func incrbyfloat(c *Ctx) reply.Value {
	key := c.Args[1]
	s, err := c.DB.String(key)
	if err != nil {
		return wrongType()
	}
	value, ok := new(big.Float).SetPrec(longDoubleBits), true
	if s != nil {
		value, ok = parseLongDouble(s.Text())
	}
	by, ok2 := parseLongDouble(c.Args[2])
	if !ok || !ok2 {
		return reply.Err(errNotFloat)
	}
	sum, ok := addLongDouble(value, by)
	if !ok {
		return reply.Err(errNaNInfinity)
	}
	text := formatLongDouble(sum)
	if s == nil {
		s = c.DB.NewText(key)
	}
	s.SetPlain(c.Server.Store, text)
	c.Emit(datastore.ClassString, "incrbyfloat", key)
	return reply.Bulk(text)
}
