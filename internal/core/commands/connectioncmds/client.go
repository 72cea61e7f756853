package connectioncmds

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func clientID(c *server.Ctx) reply.Value { return reply.Int(c.Session.ID) }

func clientGetName(c *server.Ctx) reply.Value {
	if c.Session.Name == "" {
		return reply.Nil()
	}
	return reply.Bulk(c.Session.Name)
}

func clientSetName(c *server.Ctx) reply.Value {
	if !setName(c.Session, c.Args[2]) {
		return reply.Err(errClientName)
	}
	return reply.OK()
}

func clientNoEvict(c *server.Ctx) reply.Value {
	switch strings.ToLower(c.Args[2]) {
	case "on":
		c.Session.NoEvict = true
	case "off":
		c.Session.NoEvict = false
	default:
		return reply.Err(errtext.Syntax)
	}
	return reply.OK()
}

// clientNoTouch sets whether lookups of the session count as accesses. Those of TOUCH always count.
func clientNoTouch(c *server.Ctx) reply.Value {
	switch strings.ToLower(c.Args[2]) {
	case "on":
		c.Session.NoTouch, c.Server.Clients.AnyNoTouch = true, true
	case "off":
		c.Session.NoTouch = false
	default:
		return reply.Err(errtext.Syntax)
	}
	return reply.OK()
}

// clientSetInfo stores the name or version of the client library, for CLIENT LIST. RESET keeps it.
func clientSetInfo(c *server.Ctx) reply.Value {
	option, value := c.Args[2], c.Args[3]
	to := &c.Session.LibName
	switch strings.ToLower(option) {
	case "lib-name":
	case "lib-ver":
		to = &c.Session.LibVer
	default:
		return reply.Errorf("ERR Unrecognized option '%s'", errtext.OneLine(errtext.Cut(option, len(option))))
	}
	if !printable(value) {
		return reply.Errorf("ERR %s cannot contain spaces, newlines or special characters.", errtext.OneLine(errtext.Cut(option, len(option))))
	}
	*to = value
	return reply.OK()
}

func clientReply(c *server.Ctx) reply.Value {
	sess := c.Session
	switch strings.ToLower(c.Args[2]) {
	case "on":
		sess.ReplyOff, sess.SkipNext, sess.RepliesTurnedOn = false, false, true
		return reply.OK()
	case "off":
		sess.ReplyOff = true
	case "skip":
		sess.SkipNext = !sess.ReplyOff
	default:
		return reply.Err(errtext.Syntax)
	}
	return reply.None()
}

func clientInfo(c *server.Ctx) reply.Value {
	return reply.Verbatim("txt", c.Server.Describe(c.Session)+"\n")
}

// clientType returns the name of a type of clients as [server.Session.ClientType] writes it.
func clientType(name string) string {
	if name == "slave" {
		return "replica"
	}
	return name
}

// clientList lists all sessions, or those of a type or with certain ids, oldest first.
func clientList(c *server.Ctx) reply.Value {
	list := slices.Collect(maps.Values(c.Server.Clients.ByID))
	slices.SortFunc(list, func(a, b *server.Session) int { return cmp.Compare(a.ID, b.ID) })
	switch n := c.NArg(); {
	case n == 2:
	case n == 4 && strings.EqualFold(c.Args[2], "type"):
		switch typ := strings.ToLower(c.Args[3]); typ {
		case "normal", "pubsub", "master", "replica", "slave":
			list = slices.DeleteFunc(list, func(sess *server.Session) bool { return sess.ClientType() != clientType(typ) })
		default:
			return reply.Errorf("ERR Unknown client type '%s'", errtext.OneLine(errtext.Cut(c.Args[3], len(c.Args[3]))))
		}
	case n > 3 && strings.EqualFold(c.Args[2], "id"):
		list = list[:0]
		for _, a := range c.Args[3:] {
			id, ok := parse.Int(a)
			if !ok {
				return reply.Err("ERR Invalid client ID")
			}
			if sess := c.Server.Clients.ByID[id]; sess != nil {
				list = append(list, sess)
			}
		}
	default:
		return reply.Err(errtext.Syntax)
	}
	var b strings.Builder
	for _, sess := range list {
		b.WriteString(c.Server.Describe(sess))
		b.WriteByte('\n')
	}
	return reply.Verbatim("txt", b.String())
}
