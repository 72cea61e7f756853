package usercmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// reasons are the names of denials.
var reasons = [acl.Denials]string{acl.DeniedDatabase: "database", acl.DeniedCommand: "command", acl.DeniedKey: "key",
	acl.DeniedAuth: "auth", acl.DeniedChannel: "channel"}

func aclLog(c *server.Ctx) reply.Value {
	count := int64(10)
	switch c.NArg() {
	case 2:
	case 3:
		if strings.EqualFold(errtext.Cut(c.Args[2], len(c.Args[2])), "reset") {
			c.Server.Access.Log = nil
			return reply.OK()
		}
		n, ok := parse.Int(c.Args[2])
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		count = max(0, n)
	default:
		return aclArity(c)
	}
	entries := c.Server.Access.Log
	out := []reply.Value{}
	for _, e := range entries[:min(count, int64(len(entries)))] {
		fields := []reply.Value{
			reply.Bulk("count"), reply.Int(e.Count),
			reply.Bulk("reason"), reply.Bulk(reasons[e.Why]),
			reply.Bulk("context"), reply.Bulk(e.Context),
			reply.Bulk("object"), reply.Bulk(e.Object),
			reply.Bulk("username"), reply.Bulk(e.Username),
			reply.Bulk("age-seconds"), c.Double(float64(c.Now()-e.At) / 1000),
			reply.Bulk("client-info"), reply.Bulk(e.Client),
		}
		if c.Has(servers.DenialIDs) {
			fields = append(fields, reply.Bulk("entry-id"), reply.Int(e.ID),
				reply.Bulk("timestamp-created"), reply.Int(e.Created), reply.Bulk("timestamp-last-updated"), reply.Int(e.At))
		}
		out = append(out, reply.Map(fields...))
	}
	return reply.Array(out...)
}
