package hashcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scan"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readHash looks up a key for a read command.
func readHash(c *server.Ctx, key string) (*datastore.Hash, error) {
	h, err := c.DB.Hash(key)
	c.CountLookup(h != nil || err != nil, key)
	return h, err
}

// hashToRead is readHash for a command that reads fields. It removes the expired ones of them
// first; h is nil also when these were the last fields.
func hashToRead(c *server.Ctx, key string, fields ...string) (*datastore.Hash, error) {
	h, err := readHash(c, key)
	if h != nil && h.Timed() && !c.DB.ExpireFields(key, h, fields...) {
		return nil, nil
	}
	return h, err
}

func hget(c *server.Ctx) reply.Value {
	h, err := hashToRead(c, c.Args[1], c.Args[2])
	if err != nil {
		return server.WrongType()
	}
	if h != nil {
		if v, ok := h.Get(c.Args[2]); ok {
			return reply.Bulk(v)
		}
	}
	return reply.Nil()
}

func hmget(c *server.Ctx) reply.Value {
	h, err := hashToRead(c, c.Args[1], c.Args[2:]...)
	if err != nil {
		return server.WrongType()
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

func hexists(c *server.Ctx) reply.Value {
	h, err := hashToRead(c, c.Args[1], c.Args[2])
	if err != nil {
		return server.WrongType()
	}
	if h != nil && h.Has(c.Args[2]) {
		return reply.Int(1)
	}
	return reply.Int(0)
}

func hlen(c *server.Ctx) reply.Value {
	h, err := readHash(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if h == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(h.Len()))
}

func hstrlen(c *server.Ctx) reply.Value {
	h, err := hashToRead(c, c.Args[1], c.Args[2])
	if err != nil {
		return server.WrongType()
	}
	if h == nil {
		return reply.Int(0)
	}
	v, _ := h.Get(c.Args[2])
	return reply.Int(int64(len(v)))
}

func hgetall(c *server.Ctx) reply.Value {
	h, err := readHash(c, c.Args[1])
	if err != nil {
		return server.WrongType()
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

func hkeys(c *server.Ctx) reply.Value { return hashColumn(c, false) }
func hvals(c *server.Ctx) reply.Value { return hashColumn(c, true) }

// hashColumn returns all fields, or all values.
func hashColumn(c *server.Ctx, values bool) reply.Value {
	h, err := readHash(c, c.Args[1])
	if err != nil {
		return server.WrongType()
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

func hscan(c *server.Ctx) reply.Value {
	return scan.Pairs(c, readHash, func(h *datastore.Hash, cursor uint64, emit func(field, value string)) uint64 {
		return h.Scan(cursor, emit)
	})
}
