package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func expire(c *Ctx) reply.Value    { return c.expireAt(inSeconds) }
func pexpire(c *Ctx) reply.Value   { return c.expireAt(inMillis) }
func expireat(c *Ctx) reply.Value  { return c.expireAt(atSeconds) }
func pexpireat(c *Ctx) reply.Value { return c.expireAt(atMillis) }

// expireIf are the conditions of EXPIRE.
type expireIf struct{ nx, xx, gt, lt bool }

func parseExpireIf(args []string) (o expireIf, bad reply.Value, ok bool) {
	for _, arg := range args {
		switch {
		case isToken(arg, "nx"):
			o.nx = true
		case isToken(arg, "xx"):
			o.xx = true
		case isToken(arg, "gt"):
			o.gt = true
		case isToken(arg, "lt"):
			o.lt = true
		default:
			return o, reply.Err(oneLine("ERR Unsupported option " + arg)), false
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

// holds reports whether a key that expires at present (0: never, which is later than any time)
// may be made to expire at next.
func (o *expireIf) holds(present, next int64) bool {
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

func (c *Ctx) expireAt(unit expireUnit) reply.Value {
	key := c.Args[1]
	o, bad, ok := parseExpireIf(c.Args[3:])
	if !ok {
		return bad
	}
	n, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	at, ok := c.toMillis(n, unit)
	if !ok {
		return c.badExpire()
	}
	e := c.DB.Lookup(key)
	if e == nil || !o.holds(e.ExpireAt(), at) {
		return reply.Int(0)
	}
	if at <= c.Now() {
		c.DB.Delete(key)
		c.Emit(datastore.ClassGeneric, "del", key)
	} else {
		c.DB.SetExpire(e, at)
		c.Emit(datastore.ClassGeneric, "expire", key)
	}
	return reply.Int(1)
}

func persist(c *Ctx) reply.Value {
	key := c.Args[1]
	e := c.DB.Lookup(key)
	if e == nil || e.ExpireAt() == 0 {
		return reply.Int(0)
	}
	c.DB.SetExpire(e, 0)
	c.Emit(datastore.ClassGeneric, "persist", key)
	return reply.Int(1)
}

func ttl(c *Ctx) reply.Value         { return c.remaining(inSeconds) }
func pttl(c *Ctx) reply.Value        { return c.remaining(inMillis) }
func expiretime(c *Ctx) reply.Value  { return c.remaining(atSeconds) }
func pexpiretime(c *Ctx) reply.Value { return c.remaining(atMillis) }

// remaining answers the expiry time in unit, seconds rounded to the nearest; -1 for none, -2
// for no key.
func (c *Ctx) remaining(unit expireUnit) reply.Value {
	e := c.DB.Peek(c.Args[1])
	c.countLookup(e != nil, c.Args[1])
	switch {
	case e == nil:
		return reply.Int(-2)
	case e.ExpireAt() == 0:
		return reply.Int(-1)
	}
	ms := e.ExpireAt()
	if !unit.absolute {
		ms = max(0, ms-c.Now())
	}
	return reply.Int(int64((uint64(ms) + uint64(unit.scale/2)) / uint64(unit.scale))) // the sum may pass int64
}
