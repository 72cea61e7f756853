package connectioncmds

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
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
	if !validName(c, c.Args[2]) {
		return reply.Err(errClientName)
	}
	c.Session.Name = c.Args[2]
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

// clientList lists the sessions that pass the filters, oldest first, or those with the given ids.
func clientList(c *server.Ctx) reply.Value {
	list := slices.Collect(maps.Values(c.Server.Clients.ByID))
	slices.SortFunc(list, func(a, b *server.Session) int { return cmp.Compare(a.ID, b.ID) })
	list, v := chosenClients(c, list)
	if v.IsError() {
		return v
	}
	var b strings.Builder
	for _, sess := range list {
		b.WriteString(c.Server.Describe(sess))
		b.WriteByte('\n')
	}
	return reply.Verbatim("txt", b.String())
}

// chosenClients returns the sessions of list that CLIENT LIST is to show.
func chosenClients(c *server.Ctx, list []*server.Session) ([]*server.Session, reply.Value) {
	n := c.NArg()
	if n == 2 {
		return list, reply.OK()
	}
	if n == 3 {
		return nil, reply.Err(errtext.Syntax)
	}
	if !c.Has(servers.ClientFilters) {
		switch {
		case strings.EqualFold(c.Args[2], "id"):
			return clientsByID(c, list[:0])
		case n > 4 || !strings.EqualFold(c.Args[2], "type"):
			return nil, reply.Err(errtext.Syntax)
		}
	}
	var f clientFilter
	if v := parseClientFilter(c, &f); v.IsError() {
		return nil, v
	}
	return slices.DeleteFunc(list, func(sess *server.Session) bool { return !f.matches(sess, c.Session) }), reply.OK()
}

// clientsByID appends the sessions with the ids that the command names, in its order.
func clientsByID(c *server.Ctx, list []*server.Session) ([]*server.Session, reply.Value) {
	for _, a := range c.Args[3:] {
		id, ok := parse.Int(a)
		if !ok {
			return nil, reply.Err("ERR Invalid client ID")
		}
		if sess := c.Server.Clients.ByID[id]; sess != nil {
			list = append(list, sess)
		}
	}
	return list, reply.OK()
}

// clientCapa stores what the client says it is able to do. It ignores unknown words.
func clientCapa(c *server.Ctx) reply.Value {
	for _, a := range c.Args[2:] {
		if strings.EqualFold(a, "redirect") {
			c.Session.Redirects = true
		}
	}
	return reply.OK()
}

// clientImportSource marks the session as one that brings the data of another server.
func clientImportSource(c *server.Ctx) reply.Value {
	on := strings.EqualFold(c.Args[2], "on")
	switch {
	case !on && strings.EqualFold(c.Args[2], "off"):
		c.Session.Imports = false
	case c.Server.Config.Value("import-mode") != "yes":
		return reply.Err("ERR Server is not in import mode")
	case !on:
		return reply.Err(errtext.Syntax)
	default:
		c.Session.Imports = true
	}
	return reply.OK()
}
