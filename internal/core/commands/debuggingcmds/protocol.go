package debuggingcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// debugProtocol replies with an example of a reply type.
func debugProtocol(c *server.Ctx) reply.Value {
	numbers := []reply.Value{reply.Int(0), reply.Int(1), reply.Int(2)}
	switch strings.ToLower(errtext.Cut(c.Args[2], len(c.Args[2]))) {
	case "string":
		return reply.Bulk("Hello World")
	case "integer":
		return reply.Int(12345)
	case "double":
		return reply.Double(3.141)
	case "null":
		return reply.Nil()
	case "array":
		return reply.Array(numbers...)
	case "set":
		return reply.Set(numbers...)
	case "map":
		return reply.Map(reply.Int(0), reply.Bool(false), reply.Int(1), reply.Bool(true), reply.Int(2), reply.Bool(false))
	case "attrib":
		return reply.Attribute(reply.Bulk("Some real reply following the attribute"),
			reply.Bulk("key-popularity"), reply.Array(reply.Bulk("key:123"), reply.Int(90)))
	case "push":
		if c.Proto < 3 {
			return reply.Err("ERR RESP2 is not supported by this command")
		}
		if c.Has(servers.RepliesFirst) && !c.Door.FromScript() {
			c.Session.AfterAll = append(c.Session.AfterAll, reply.Push(reply.Bulk("server-cpu-usage"), reply.Int(42)))
			return reply.Bulk("Some real reply following the push reply")
		}
		return reply.Pushed(reply.Bulk("Some real reply following the push reply"), reply.Push(reply.Bulk("server-cpu-usage"), reply.Int(42)))
	case "true":
		return reply.Bool(true)
	case "false":
		return reply.Bool(false)
	case "verbatim":
		return reply.Verbatim("txt", "This is a verbatim\nstring")
	case "bignum":
		return reply.BigNumber("1234567999999999999999999999999999999")
	}
	return reply.Err("ERR Wrong protocol type name. Please use one of the following: " +
		"string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")
}
