package keycmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func del(c *server.Ctx) reply.Value { return remove(c, c.Server.Store.Limits().LazyFree.Delete) }

func unlink(c *server.Ctx) reply.Value { return remove(c, true) }

func remove(c *server.Ctx, lazily bool) reply.Value {
	n := int64(0)
	for _, key := range c.Args[1:] {
		if c.DB.Peek(key) == nil {
			continue
		}
		c.DB.Remove(key, lazily)
		c.Emit(datastore.ClassGeneric, "del", key)
		n++
	}
	return reply.Int(n)
}

func exists(c *server.Ctx) reply.Value {
	n := int64(0)
	for _, key := range c.Args[1:] {
		found := c.DB.Peek(key) != nil
		c.CountLookup(found, key)
		if found {
			n++
		}
	}
	return reply.Int(n)
}

func touch(c *server.Ctx) reply.Value {
	n := int64(0)
	for _, key := range c.Args[1:] {
		found := c.DB.Lookup(key) != nil
		c.CountLookup(found, key)
		if found {
			n++
		}
	}
	return reply.Int(n)
}

func typeOf(c *server.Ctx) reply.Value {
	e := c.DB.Peek(c.Args[1])
	c.CountLookup(e != nil, c.Args[1])
	if e == nil {
		return reply.Status("none")
	}
	return reply.Status(e.Object().Type().String())
}
