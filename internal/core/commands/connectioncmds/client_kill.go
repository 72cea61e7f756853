package connectioncmds

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const errClientID = "ERR client-id should be greater than 0"

// clientKill ends sessions of connections: one by its address, which is an error if there is none,
// or all that pass the filters. Sessions in process have no address and are never ended.
func clientKill(c *server.Ctx) reply.Value {
	if c.NArg() == 3 {
		if kill(c, func(sess *server.Session) bool { return sess.Addr == c.Args[2] }) == 0 {
			return reply.Err("ERR No such client")
		}
		return reply.OK()
	}
	f := clientFilter{skipMe: true}
	if v := parseClientFilter(c, &f); v.IsError() {
		return v
	}
	return reply.Int(kill(c, func(sess *server.Session) bool { return f.matches(sess, c.Session) }))
}

// kill ends the sessions that pass and returns their number. The caller's own session ends after
// the reply.
func kill(c *server.Ctx, passes func(*server.Session) bool) (killed int64) {
	for _, sess := range c.Server.Clients.ByID {
		if sess.Addr == "" || sess.CloseAfter || !passes(sess) {
			continue
		}
		killed++
		c.Server.HangUp(sess, c.Session)
	}
	return killed
}
