package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func zpopmin(c *Ctx) reply.Value { return c.zpopGeneric(false) }
func zpopmax(c *Ctx) reply.Value { return c.zpopGeneric(true) }

func (c *Ctx) zpopGeneric(fromMax bool) reply.Value {
	count := int64(1)
	if len(c.Args) > 3 {
		return reply.Err(errSyntax)
	}
	if len(c.Args) == 3 {
		var ok bool
		if count, ok = parseInt(c.Args[2]); !ok || count < 0 {
			return reply.Err(errNotPositive)
		}
	}
	z, err := c.DB.ZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil || count == 0 {
		return reply.Array()
	}
	return c.zpop(c.Args[1], z, fromMax, count, len(c.Args) == 3 && c.Proto > 2)
}

// zpop takes up to count elements off one end of z, which is under key.
func (c *Ctx) zpop(key string, z *datastore.ZSet, fromMax bool, count int64, nested bool) reply.Value {
	n := int(min(count, int64(z.Len())))
	out := newScoredReply(n, true, nested)
	if fromMax {
		size := z.Len()
		z.Descend(size-1, n, out.add)
		z.RemoveRange(size-n, size)
		c.Emit(datastore.ClassZSet, "zpopmax", key)
	} else {
		z.Ascend(0, n, out.add)
		z.RemoveRange(0, n)
		c.Emit(datastore.ClassZSet, "zpopmin", key)
	}
	c.DB.DropIfEmpty(key)
	return out.value()
}

func zmpop(c *Ctx) reply.Value {
	m, e, ok := parseMpop(c.Args[1:], "min", "max")
	if !ok {
		return e
	}
	return c.zmpopGeneric(&m)
}

// zmpopGeneric pops from the first key that holds something.
func (c *Ctx) zmpopGeneric(m *mpopArgs) reply.Value {
	for _, key := range m.keys {
		if v, ok := c.zpopManyOf(key, m.last, m.count); ok {
			return v
		}
	}
	return reply.NilArray()
}

// zpopManyOf pops from the sorted set under key; it reports false where there is none.
func (c *Ctx) zpopManyOf(key string, fromMax bool, count int64) (reply.Value, bool) {
	z, err := c.DB.ZSet(key)
	if z == nil || err != nil {
		return missing(err)
	}
	return reply.Array(reply.Bulk(key), c.zpop(key, z, fromMax, count, true)), true
}
