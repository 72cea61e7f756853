package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func get(c *Ctx) reply.Value {
	v, _ := c.getText(c.Args[1])
	return v
}

// getText is the reply of GET, and whether a command may go on after it: not behind a wrong type.
func (c *Ctx) getText(key string) (v reply.Value, ok bool) {
	s, err := c.readString(key)
	switch {
	case err != nil:
		return wrongType(), false
	case s == nil:
		return reply.Nil(), true
	}
	return reply.Bulk(s.Text()), true
}

func mget(c *Ctx) reply.Value {
	out := make([]reply.Value, len(c.Args)-1)
	for i, key := range c.Args[1:] {
		if s, err := c.readString(key); err == nil && s != nil {
			out[i] = reply.Bulk(s.Text())
		}
	}
	return reply.Array(out...)
}

func getdel(c *Ctx) reply.Value {
	key := c.Args[1]
	v, ok := c.getText(key)
	if ok && !v.IsNil() {
		c.DB.Delete(key)
		c.Emit(datastore.ClassGeneric, "del", key)
	}
	return v
}

func getset(c *Ctx) reply.Value {
	key := c.Args[1]
	v, ok := c.getText(key)
	if ok {
		c.DB.SetString(key, c.Args[2], false)
		c.Emit(datastore.ClassString, "set", key)
	}
	return v
}

func getex(c *Ctx) reply.Value {
	o, ok := parseSetOptions(c.Args[2:], getexOption)
	if !ok {
		return reply.Err(errSyntax)
	}
	key := c.Args[1]
	v, ok := c.getText(key)
	if !ok || v.IsNil() {
		return v
	}
	e := c.DB.Peek(key)
	switch {
	case o.expires:
		at, bad, ok := c.parseExpire(o.expire, o.unit)
		if !ok {
			return bad
		}
		if o.unit.absolute && at <= c.Now() {
			c.DB.Delete(key)
			c.Emit(datastore.ClassGeneric, "del", key)
			break
		}
		c.DB.SetExpire(e, at)
		c.Emit(datastore.ClassGeneric, "expire", key)
	case o.persist && e.ExpireAt() != 0:
		c.DB.SetExpire(e, 0)
		c.Emit(datastore.ClassGeneric, "persist", key)
	}
	return v
}

func strlen(c *Ctx) reply.Value {
	s, err := c.readString(c.Args[1])
	switch {
	case err != nil:
		return wrongType()
	case s == nil:
		return reply.Int(0)
	}
	return reply.Int(int64(s.Len()))
}

func getrange(c *Ctx) reply.Value {
	start, ok1 := parseInt(c.Args[2])
	end, ok2 := parseInt(c.Args[3])
	if !ok1 || !ok2 {
		return reply.Err(errNotInteger)
	}
	s, err := c.readString(c.Args[1])
	if err != nil {
		return wrongType()
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
