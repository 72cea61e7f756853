package connectioncmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// killFilter says which sessions CLIENT KILL ends. An empty field matches all.
type killFilter struct {
	id          int64
	addr, laddr string
	typ         string // as Session.ClientType
	user        *acl.User
	skipMe      bool
	maxAge      int64 // seconds; 0: any
}

// clientKill ends sessions of connections: one by its address, which is an error if there is none,
// or all that pass the filters. Sessions in process have no address and are never ended.
func clientKill(c *server.Ctx) reply.Value {
	if c.NArg() == 3 {
		if kill(c, killFilter{addr: c.Args[2]}) == 0 {
			return reply.Err("ERR No such client")
		}
		return reply.OK()
	}
	f, v := killFilters(c)
	if v.IsError() {
		return v
	}
	return reply.Int(kill(c, f))
}

func killFilters(c *server.Ctx) (killFilter, reply.Value) {
	f := killFilter{skipMe: true}
	for i := 2; i < c.NArg(); i += 2 {
		if i+1 == c.NArg() {
			return f, reply.Err(errtext.Syntax)
		}
		value := c.Args[i+1]
		switch strings.ToLower(c.Args[i]) {
		case "id":
			id, ok := parse.Int(value)
			if !ok || id <= 0 {
				return f, reply.Err("ERR client-id should be greater than 0")
			}
			f.id = id
		case "type":
			switch f.typ = clientType(strings.ToLower(value)); f.typ {
			case "normal", "pubsub", "master", "replica":
			default:
				return f, reply.Errorf("ERR Unknown client type '%s'", errtext.OneLine(errtext.Cut(value, len(value))))
			}
		case "addr":
			f.addr = value
		case "laddr":
			f.laddr = value
		case "user":
			if f.user = c.Server.Access.Users[value]; f.user == nil {
				return f, reply.Errorf("ERR No such user '%s'", errtext.OneLine(errtext.Cut(value, len(value))))
			}
		case "maxage":
			n, ok := parse.Int(value)
			switch {
			case !c.Has(servers.KillByAge):
				return f, reply.Err(errtext.Syntax)
			case !ok:
				return f, reply.Err("ERR maxage is not an integer or out of range")
			case n <= 0:
				return f, reply.Err("ERR maxage should be greater than 0")
			}
			f.maxAge = n
		case "skipme":
			switch strings.ToLower(value) {
			case "yes":
				f.skipMe = true
			case "no":
				f.skipMe = false
			default:
				return f, reply.Err(errtext.Syntax)
			}
		default:
			return f, reply.Err(errtext.Syntax)
		}
	}
	return f, reply.OK()
}

// kill ends the sessions that pass f and returns their number. The caller's own session ends after
// the reply.
func kill(c *server.Ctx, f killFilter) (killed int64) {
	for id, sess := range c.Server.Clients.ByID {
		if sess.Addr == "" || sess.CloseAfter || f.id != 0 && f.id != id || f.addr != "" && f.addr != sess.Addr ||
			f.laddr != "" && f.laddr != sess.LAddr || f.typ != "" && f.typ != sess.ClientType() || f.user != nil && sess.User != f.user ||
			f.skipMe && sess == c.Session ||
			(c.Now()-sess.Created)/1000 < f.maxAge {
			continue
		}
		killed++
		c.Server.HangUp(sess, c.Session)
	}
	return killed
}
