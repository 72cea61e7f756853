package stringcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// tooLong reports whether a string of n bytes must not grow by more bytes.
func tooLong(c *server.Ctx, n int64, more string) bool {
	limit := c.Server.Config.ProtoMaxBulkLen()
	return int64(len(more)) > limit || n > limit-int64(len(more))
}

func appendTo(c *server.Ctx) reply.Value {
	key, tail := c.Args[1], c.Args[2]
	s, err := c.DB.String(key)
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		c.DB.SetString(key, tail, false)
		c.Emit(datastore.ClassString, "append", key)
		return reply.Int(int64(len(tail)))
	}
	if tooLong(c, int64(s.Len()), tail) {
		return reply.Err(errtext.StringTooLong)
	}
	n := s.Append(c.Server.Store, tail)
	c.Emit(datastore.ClassString, "append", key)
	return reply.Int(int64(n))
}

func setrange(c *server.Ctx) reply.Value {
	key, text := c.Args[1], c.Args[3]
	offset, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	if offset < 0 {
		return reply.Err("ERR offset is out of range")
	}
	s, err := c.DB.String(key)
	if err != nil {
		return server.WrongType()
	}
	if text == "" {
		if s == nil {
			return reply.Int(0)
		}
		return reply.Int(int64(s.Len()))
	}
	if tooLong(c, offset, text) {
		return reply.Err(errtext.StringTooLong)
	}
	if s == nil {
		s = c.DB.NewText(key)
	}
	n := s.SetRange(c.Server.Store, int(offset), text)
	c.Emit(datastore.ClassString, "setrange", key)
	return reply.Int(int64(n))
}
