package stringcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func get(c *server.Ctx) reply.Value {
	v, _ := getText(c, c.Args[1])
	return v
}

// getText returns the reply of GET; ok is false when the key has the wrong type.
func getText(c *server.Ctx, key string) (v reply.Value, ok bool) {
	s, err := c.ReadString(key)
	switch {
	case err != nil:
		return server.WrongType(), false
	case s == nil:
		return reply.Nil(), true
	}
	return reply.Bulk(s.Text()), true
}

func mget(c *server.Ctx) reply.Value {
	out := make([]reply.Value, len(c.Args)-1)
	for i, key := range c.Args[1:] {
		if s, err := c.ReadString(key); err == nil && s != nil {
			out[i] = reply.Bulk(s.Text())
		}
	}
	return reply.Array(out...)
}

func getdel(c *server.Ctx) reply.Value {
	key := c.Args[1]
	v, ok := getText(c, key)
	if ok && !v.IsNil() {
		c.Delete(key, "lazyfree-lazy-user-del")
	}
	return v
}

func getset(c *server.Ctx) reply.Value {
	key := c.Args[1]
	v, ok := getText(c, key)
	if ok {
		c.EffectArg(0, "SET")
		c.DB.SetString(key, c.Args[2], false)
		c.Emit(datastore.ClassString, "set", key)
	}
	return v
}

func getex(c *server.Ctx) reply.Value {
	o, ok := parseSetOptions(c, c.Args[2:], getexOption)
	if !ok {
		return reply.Err(errtext.Syntax)
	}
	key := c.Args[1]
	if o.expires && c.Has(servers.GetexTimeFirst) {
		if _, bad, ok := c.ParseExpire(o.expire, o.unit); !ok {
			return bad
		}
	}
	v, ok := getText(c, key)
	if !ok || v.IsNil() {
		return v
	}
	e := c.DB.Peek(key)
	switch {
	case o.expires:
		at, bad, ok := c.ParseExpire(o.expire, o.unit)
		if !ok {
			return bad
		}
		if o.unit.Absolute && c.IsPast(at) {
			c.Delete(key, "lazyfree-lazy-expire")
			break
		}
		if c.HasEffects() {
			c.EffectIs("PEXPIREAT", key, strconv.FormatInt(at, 10))
		}
		c.DB.SetExpire(e, at)
		c.Emit(datastore.ClassGeneric, "expire", key)
	case o.persist && e.ExpireAt() != 0:
		if c.HasEffects() {
			c.EffectIs("PERSIST", key)
		}
		c.DB.SetExpire(e, 0)
		c.Emit(datastore.ClassGeneric, "persist", key)
	}
	return v
}

func strlen(c *server.Ctx) reply.Value {
	s, err := c.ReadString(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Int(0)
	}
	return reply.Int(int64(s.Len()))
}

func getrange(c *server.Ctx) reply.Value {
	start, ok1 := parse.Int(c.Args[2])
	end, ok2 := parse.Int(c.Args[3])
	if !ok1 || !ok2 {
		return reply.Err(errtext.NotInteger)
	}
	s, err := c.ReadString(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Bulk("")
	}
	text := s.Text()
	n := int64(len(text))
	if start < 0 && end < 0 && start > end {
		return reply.Bulk("")
	}
	if start < 0 {
		start = max(start+n, 0)
	}
	if end < 0 {
		end = max(end+n, 0)
	}
	end = min(end, n-1)
	if start > end {
		return reply.Bulk("")
	}
	return reply.Bulk(text[start : end+1])
}
