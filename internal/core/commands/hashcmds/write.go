package hashcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func hset(c *server.Ctx) reply.Value {
	n, e, ok := setFields(c)
	if !ok {
		return e
	}
	return reply.Int(n)
}

func hmset(c *server.Ctx) reply.Value {
	if _, e, ok := setFields(c); !ok {
		return e
	}
	return reply.OK()
}

// setFields sets the pairs behind the key and returns the number of new fields.
func setFields(c *server.Ctx) (added int64, errReply reply.Value, ok bool) {
	pairs := c.Args[2:]
	if len(pairs)%2 != 0 {
		return 0, reply.Errorf("ERR wrong number of arguments for '%s' command", c.Spec.Name), false
	}
	key := c.Args[1]
	h, err := c.DB.HashForWrite(key)
	if err != nil {
		return 0, server.WrongType(), false
	}
	h.Expect(len(pairs) / 2)
	h.Prepare(pairs)
	for i := 0; i < len(pairs); i += 2 {
		if h.Set(pairs[i], pairs[i+1]) {
			added++
		}
	}
	c.EmitN(int64(len(pairs)/2), datastore.ClassHash, "hset", key)
	return added, reply.Value{}, true
}

func hsetnx(c *server.Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	h, err := c.DB.HashForWrite(key)
	if err != nil {
		return server.WrongType()
	}
	if h.Timed() && !c.DB.ExpireFields(key, h, field) {
		h, _ = c.DB.HashForWrite(key)
	}
	if h.Has(field) {
		return reply.Int(0)
	}
	h.Set(field, c.Args[3])
	c.Emit(datastore.ClassHash, "hset", key)
	return reply.Int(1)
}

func hdel(c *server.Ctx) reply.Value {
	key := c.Args[1]
	h, err := c.DB.Hash(key)
	if err != nil {
		return server.WrongType()
	}
	if h == nil {
		return reply.Int(0)
	}
	n := int64(0)
	for _, field := range c.Args[2:] {
		if h.Delete(field) {
			n++
		}
	}
	if n > 0 {
		c.EmitN(n, datastore.ClassHash, "hdel", key)
		c.DB.DropIfEmpty(key)
	}
	return reply.Int(n)
}

func hincrby(c *server.Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	by, ok := parse.Int(c.Args[3])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	h, err := hashToChange(c, key, field)
	if err != nil {
		return server.WrongType()
	}
	n := int64(0)
	if h != nil {
		if s, there := h.Get(field); there {
			if n, ok = parse.Int(s); !ok {
				return reply.Err("ERR hash value is not an integer")
			}
		}
	}
	if by < 0 && n < math.MinInt64-by || by > 0 && n > math.MaxInt64-by {
		return reply.Err(errtext.Overflow)
	}
	if h == nil {
		h, _ = c.DB.HashForWrite(key)
	}
	n += by
	h.SetKeep(field, datastore.FormatInt(n))
	c.Emit(datastore.ClassHash, "hincrby", key)
	return reply.Int(n)
}

func hincrbyfloat(c *server.Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	by, ok := parse.LongDouble(c.Args[3])
	if !ok {
		return reply.Err(errtext.NotFloat)
	}
	if by.IsInf() {
		return reply.Err("ERR value is NaN or Infinity")
	}
	h, err := hashToChange(c, key, field)
	if err != nil {
		return server.WrongType()
	}
	sum := by
	if h != nil {
		if s, there := h.Get(field); there {
			value, ok := parse.LongDouble(s)
			if !ok {
				return reply.Err("ERR hash value is not a float")
			}
			if sum, ok = parse.AddLongDouble(value, by); !ok {
				return reply.Err(errtext.NaNInfinity)
			}
		}
	}
	if h == nil {
		h, _ = c.DB.HashForWrite(key)
	}
	text := parse.FormatLongDouble(sum)
	h.SetKeep(field, text)
	c.Emit(datastore.ClassHash, "hincrbyfloat", key)
	if c.HasEffects() { // later versions may add and round in another way
		c.EffectIs("HSET", key, field, text)
	}
	return reply.Bulk(text)
}

// hashToChange returns the hash of key, or nil. It removes field first if field has expired.
func hashToChange(c *server.Ctx, key, field string) (*datastore.Hash, error) {
	h, err := c.DB.Hash(key)
	if h != nil && h.Timed() && !c.DB.ExpireFields(key, h, field) {
		return nil, nil
	}
	return h, err
}
