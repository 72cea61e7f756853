package zsetcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func zpopmin(c *server.Ctx) reply.Value { return zpopGeneric(c, false) }
func zpopmax(c *server.Ctx) reply.Value { return zpopGeneric(c, true) }

func zpopGeneric(c *server.Ctx, fromMax bool) reply.Value {
	count := int64(1)
	if len(c.Args) > 3 {
		return reply.Err(errtext.Syntax)
	}
	if len(c.Args) == 3 {
		var ok bool
		if count, ok = parse.Int(c.Args[2]); !ok || count < 0 {
			return reply.Err(errtext.NotPositive)
		}
	}
	z, err := c.DB.ZSet(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil || count == 0 {
		return reply.Array()
	}
	return zpop(c, c.Args[1], z, fromMax, count, len(c.Args) == 3 && c.Proto > 2)
}

// zpop removes up to count elements from one end of z, which is stored under key.
func zpop(c *server.Ctx, key string, z *datastore.ZSet, fromMax bool, count int64, nested bool) reply.Value {
	n := int(min(count, int64(z.Len())))
	out := newScoredReply(c, n, true, nested)
	if fromMax {
		size := z.Len()
		z.Descend(size-1, n, out.add)
		z.RemoveRange(size-n, size)
		c.EmitN(int64(n), datastore.ClassZSet, "zpopmax", key)
	} else {
		z.Ascend(0, n, out.add)
		z.RemoveRange(0, n)
		c.EmitN(int64(n), datastore.ClassZSet, "zpopmin", key)
	}
	c.DB.DropIfEmpty(key)
	return out.value()
}

func zmpop(c *server.Ctx) reply.Value {
	m, e, ok := parse.Mpop(c.Args[1:], "min", "max")
	if !ok {
		return e
	}
	return zmpopGeneric(c, &m)
}

// zmpopGeneric pops from the first key that has a sorted set.
func zmpopGeneric(c *server.Ctx, m *parse.MpopArgs) reply.Value {
	for _, key := range m.Keys {
		if v, ok := zpopManyOf(c, key, m.Last, m.Count); ok {
			return v
		}
	}
	return reply.NilArray()
}

// zpopManyOf pops from the sorted set under key; ok is false when there is none.
func zpopManyOf(c *server.Ctx, key string, fromMax bool, count int64) (reply.Value, bool) {
	z, err := c.DB.ZSet(key)
	if z == nil || err != nil {
		return server.MissingKey(err)
	}
	if c.HasEffects() {
		c.EffectIs(zpopName(fromMax), key, strconv.FormatInt(min(count, int64(z.Len())), 10))
	}
	return reply.Array(reply.Bulk(key), zpop(c, key, z, fromMax, count, true)), true
}
