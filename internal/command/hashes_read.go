package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// readHash looks a key up for a read command.
func (c *Ctx) readHash(key string) (*datastore.Hash, error) {
	h, err := c.DB.Hash(key)
	c.countLookup(h != nil || err != nil, key)
	return h, err
}

// hashToRead is readHash for a command that looks at fields: those of them whose time has come are removed first. h is nil also
// when they were the last.
func (c *Ctx) hashToRead(key string, fields ...string) (*datastore.Hash, error) {
	h, err := c.readHash(key)
	if h != nil && h.Timed() && !c.DB.ExpireFields(key, h, fields...) {
		return nil, nil
	}
	return h, err
}

func hget(c *Ctx) reply.Value {
	h, err := c.hashToRead(c.Args[1], c.Args[2])
	if err != nil {
		return wrongType()
	}
	if h != nil {
		if v, ok := h.Get(c.Args[2]); ok {
			return reply.Bulk(v)
		}
	}
	return reply.Nil()
}

func hmget(c *Ctx) reply.Value {
	h, err := c.hashToRead(c.Args[1], c.Args[2:]...)
	if err != nil {
		return wrongType()
	}
	out := make([]reply.Value, len(c.Args)-2)
	if h != nil {
		for i, field := range c.Args[2:] {
			if v, ok := h.Get(field); ok {
				out[i] = reply.Bulk(v)
			}
		}
	}
	return reply.Array(out...)
}

func hexists(c *Ctx) reply.Value {
	h, err := c.hashToRead(c.Args[1], c.Args[2])
	if err != nil {
		return wrongType()
	}
	if h != nil && h.Has(c.Args[2]) {
		return reply.Int(1)
	}
	return reply.Int(0)
}

func hlen(c *Ctx) reply.Value {
	h, err := c.readHash(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if h == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(h.Len()))
}

func hstrlen(c *Ctx) reply.Value {
	h, err := c.hashToRead(c.Args[1], c.Args[2])
	if err != nil {
		return wrongType()
	}
	if h == nil {
		return reply.Int(0)
	}
	v, _ := h.Get(c.Args[2])
	return reply.Int(int64(len(v)))
}

func hgetall(c *Ctx) reply.Value {
	h, err := c.readHash(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if h == nil {
		return reply.Map()
	}
	out := make([]reply.Value, 0, 2*h.Len())
	h.All(func(field, value string) bool {
		out = append(out, reply.Bulk(field), reply.Bulk(value))
		return true
	})
	return reply.Map(out...)
}

func hkeys(c *Ctx) reply.Value { return c.hashColumn(false) }
func hvals(c *Ctx) reply.Value { return c.hashColumn(true) }

// hashColumn lists all fields, or all values.
func (c *Ctx) hashColumn(values bool) reply.Value {
	h, err := c.readHash(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if h == nil {
		return reply.Array()
	}
	out := make([]reply.Value, 0, h.Len())
	h.All(func(field, value string) bool {
		if values {
			field = value
		}
		out = append(out, reply.Bulk(field))
		return true
	})
	return reply.Array(out...)
}

func hscan(c *Ctx) reply.Value {
	return scanPairs(c, (*Ctx).readHash, func(h *datastore.Hash, cursor uint64, emit func(field, value string)) uint64 {
		return h.Scan(cursor, emit)
	})
}
