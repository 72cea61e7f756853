package command

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func hset(c *Ctx) reply.Value {
	n, e, ok := c.setFields()
	if !ok {
		return e
	}
	return reply.Int(n)
}

func hmset(c *Ctx) reply.Value {
	if _, e, ok := c.setFields(); !ok {
		return e
	}
	return reply.OK()
}

// setFields sets the pairs behind the key and tells how many fields are new.
func (c *Ctx) setFields() (added int64, errReply reply.Value, ok bool) {
	pairs := c.Args[2:]
	if len(pairs)%2 != 0 {
		return 0, reply.Errorf("ERR wrong number of arguments for '%s' command", c.Spec.Name), false
	}
	key := c.Args[1]
	h, err := c.DB.HashForWrite(key)
	if err != nil {
		return 0, wrongType(), false
	}
	h.Prepare(pairs)
	for i := 0; i < len(pairs); i += 2 {
		if h.Set(pairs[i], pairs[i+1]) {
			added++
		}
	}
	c.Emit(datastore.ClassHash, "hset", key)
	return added, reply.Value{}, true
}

func hsetnx(c *Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	h, err := c.DB.HashForWrite(key)
	if err != nil {
		return wrongType()
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

func hdel(c *Ctx) reply.Value {
	key := c.Args[1]
	h, err := c.DB.Hash(key)
	if err != nil {
		return wrongType()
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
		c.Emit(datastore.ClassHash, "hdel", key)
		c.DB.DropIfEmpty(key)
	}
	return reply.Int(n)
}

func hincrby(c *Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	by, ok := parseInt(c.Args[3])
	if !ok {
		return reply.Err(errNotInteger)
	}
	h, err := c.hashToChange(key, field)
	if err != nil {
		return wrongType()
	}
	n := int64(0)
	if h != nil {
		if s, there := h.Get(field); there {
			if n, ok = parseInt(s); !ok {
				return reply.Err("ERR hash value is not an integer")
			}
		}
	}
	if by < 0 && n < math.MinInt64-by || by > 0 && n > math.MaxInt64-by {
		return reply.Err(errOverflow)
	}
	if h == nil {
		h, _ = c.DB.HashForWrite(key)
	}
	n += by
	h.SetKeep(field, datastore.FormatInt(n))
	c.Emit(datastore.ClassHash, "hincrby", key)
	return reply.Int(n)
}

func hincrbyfloat(c *Ctx) reply.Value {
	key, field := c.Args[1], c.Args[2]
	by, ok := parseLongDouble(c.Args[3])
	if !ok {
		return reply.Err(errNotFloat)
	}
	if by.IsInf() {
		return reply.Err("ERR value is NaN or Infinity")
	}
	h, err := c.hashToChange(key, field)
	if err != nil {
		return wrongType()
	}
	sum := by
	if h != nil {
		if s, there := h.Get(field); there {
			value, ok := parseLongDouble(s)
			if !ok {
				return reply.Err("ERR hash value is not a float")
			}
			if sum, ok = addLongDouble(value, by); !ok {
				return reply.Err(errNaNInfinity)
			}
		}
	}
	if h == nil {
		h, _ = c.DB.HashForWrite(key)
	}
	text := formatLongDouble(sum)
	h.SetKeep(field, text)
	c.Emit(datastore.ClassHash, "hincrbyfloat", key)
	return reply.Bulk(text)
}

// hashToChange returns the hash of key, nil when there is none, without field when its time has come.
func (c *Ctx) hashToChange(key, field string) (*datastore.Hash, error) {
	h, err := c.DB.Hash(key)
	if h != nil && h.Timed() && !c.DB.ExpireFields(key, h, field) {
		return nil, nil
	}
	return h, err
}
