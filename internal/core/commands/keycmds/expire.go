package keycmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func expire(c *server.Ctx) reply.Value    { return expireAt(c, server.InSeconds) }
func pexpire(c *server.Ctx) reply.Value   { return expireAt(c, server.InMillis) }
func expireat(c *server.Ctx) reply.Value  { return expireAt(c, server.AtSeconds) }
func pexpireat(c *server.Ctx) reply.Value { return expireAt(c, server.AtMillis) }

// ExpireCondition are the conditions of EXPIRE.
type ExpireCondition struct{ nx, xx, gt, lt bool }

func ParseExpireCondition(args []string) (o ExpireCondition, bad reply.Value, ok bool) {
	for _, arg := range args {
		switch {
		case parse.IsToken(arg, "nx"):
			o.nx = true
		case parse.IsToken(arg, "xx"):
			o.xx = true
		case parse.IsToken(arg, "gt"):
			o.gt = true
		case parse.IsToken(arg, "lt"):
			o.lt = true
		default:
			return o, reply.Err(errtext.OneLine("ERR Unsupported option " + arg)), false
		}
	}
	if o.nx && (o.xx || o.gt || o.lt) {
		return o, reply.Err("ERR NX and XX, GT or LT options at the same time are not compatible"), false
	}
	if o.gt && o.lt {
		return o, reply.Err("ERR GT and LT options at the same time are not compatible"), false
	}
	return o, reply.Value{}, true
}

// Holds reports whether the conditions allow to change the expiry time from present (0: never,
// which is later than any time) to next.
func (o *ExpireCondition) Holds(present, next int64) bool {
	switch {
	case o.nx && present != 0, o.xx && present == 0:
		return false
	case o.gt && (present == 0 || next <= present):
		return false
	case o.lt && present != 0 && next >= present:
		return false
	}
	return true
}

func expireAt(c *server.Ctx, unit server.ExpireUnit) reply.Value {
	key := c.Args[1]
	o, bad, ok := ParseExpireCondition(c.Args[3:])
	if !ok {
		return bad
	}
	n, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	at, ok := c.ToMillis(n, unit)
	if !ok {
		return c.BadExpire()
	}
	e := c.DB.Lookup(key)
	if e == nil || !o.Holds(e.ExpireAt(), at) {
		return reply.Int(0)
	}
	if c.IsPast(at) {
		c.Delete(key, "lazyfree-lazy-expire")
	} else {
		if unit != server.AtMillis && c.HasEffects() {
			c.EffectArg(0, "PEXPIREAT")
			c.EffectArg(2, strconv.FormatInt(at, 10))
		}
		c.DB.SetExpire(e, at)
		c.Emit(datastore.ClassGeneric, "expire", key)
	}
	return reply.Int(1)
}

func persist(c *server.Ctx) reply.Value {
	key := c.Args[1]
	e := c.DB.Lookup(key)
	if e == nil || e.ExpireAt() == 0 {
		return reply.Int(0)
	}
	c.DB.SetExpire(e, 0)
	c.Emit(datastore.ClassGeneric, "persist", key)
	return reply.Int(1)
}

func ttl(c *server.Ctx) reply.Value         { return remaining(c, server.InSeconds) }
func pttl(c *server.Ctx) reply.Value        { return remaining(c, server.InMillis) }
func expiretime(c *server.Ctx) reply.Value  { return remaining(c, server.AtSeconds) }
func pexpiretime(c *server.Ctx) reply.Value { return remaining(c, server.AtMillis) }

// remaining replies with the expiry time in unit, seconds rounded to the nearest; -1 for none, -2
// for a missing key.
func remaining(c *server.Ctx, unit server.ExpireUnit) reply.Value {
	e := c.DB.Peek(c.Args[1])
	c.CountLookup(e != nil, c.Args[1])
	switch {
	case e == nil:
		return reply.Int(-2)
	case e.ExpireAt() == 0:
		return reply.Int(-1)
	}
	ms := e.ExpireAt()
	if !unit.Absolute {
		ms = max(0, ms-c.Now())
	}
	return reply.Int(int64((uint64(ms) + uint64(unit.Scale/2)) / uint64(unit.Scale))) // the sum may pass int64
}
