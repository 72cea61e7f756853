package connection

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// clientRows declares the subcommands of CLIENT.
func clientRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "reply", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "3.2.0", Complexity: "O(1)",
			Summary: "Turns replies to this session on or off, or skips the next",
			Syntax:  `on_off_skip(ON|OFF|SKIP)`,
			Handler: clientReply,
		},
		{
			Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Lists the subcommands of CLIENT",
			Handler: clientHelp(),
		},
		{
			Name: "no-evict", Arity: 3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:           cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "7.0.0", Complexity: "O(1)",
			Summary: "Turns protection of this session from eviction on or off",
			Syntax:  `enabled(ON|OFF)`,
			Handler: clientNoEvict,
		},
		{
			Name: "info", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes this session",
			Handler: clientInfo,
		},
		{
			Name: "unblock", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			Cats:  cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(log N) for N sessions",
			Summary: "Ends the wait of another session's blocking command",
			Syntax:  `client-id# [timeout_error(TIMEOUT|ERROR)]`,
			Handler: clientUnblock,
		},
		{
			Name: "setname", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "2.6.9", Complexity: "O(1)",
			Summary: "Sets the name of this session",
			Syntax:  `connection-name`,
			Handler: clientSetName,
		},
		{
			Name: "setinfo", Arity: 4, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Tips:           []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
			Since:          "7.2.0", Complexity: "O(1)",
			Summary: "Sets the name or version of the client library of this session",
			Syntax:  `attr(LIB-NAME:libname|LIB-VER:libver)`,
			Handler: clientSetInfo,
		},
		{
			Name: "no-touch", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "7.2.0", Complexity: "O(1)",
			Summary: "Sets whether commands of this session change the access times of keys",
			Syntax:  `enabled(ON|OFF)`,
			Handler: clientNoTouch,
		},
		{
			Name: "getname", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.6.9", Complexity: "O(1)",
			Summary: "Returns the name of this session",
			Handler: clientGetName,
		},
		{
			Name: "id", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "5.0.0", Complexity: "O(1)",
			Summary: "Returns the number of this session",
			Handler: clientID,
		},
		{
			Name: "caching", Arity: 3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "6.0.0", Complexity: "O(1)",
			Summary: "Sets whether the keys of the next command are tracked",
			Syntax:  `mode(YES|NO)`,
			Handler: clientCaching,
		},
		{
			Name: "getredir", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.0.0", Complexity: "O(1)",
			Summary: "Returns the id of the session that receives the invalidation messages",
			Handler: clientGetRedir,
		},
		{
			Name: "kill", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Ends sessions",
			Syntax: `filter(ip\:port<2.8.12|new-format([ID:client-id#>2.8.12]|` +
				`[TYPE:normal_master_slave_pubsub(NORMAL|MASTER>3.2.0|SLAVE|REPLICA>5.0.0|PUBSUB)>2.8.12]|` +
				`[USER:username]|[ADDR:ip\:port]|[LADDR:ip\:port>6.2.0]|[SKIPME:yes/no]|[MAXAGE:maxage#>7.4.0])...)`,
			Handler: clientKill,
		},
		{
			Name: "pause", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "2.9.50", Complexity: "O(1)",
			Summary: "Pauses the commands of clients for some time",
			Syntax:  `timeout# [mode(WRITE|ALL)>6.2.0]`,
			Handler: clientPause,
		},
		{
			Name: "tracking", Arity: -3, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			ChangesSession: true,
			Since:          "6.0.0", Complexity: "O(1)",
			Summary: "Turns the tracking of keys for a client-side cache on or off",
			Syntax:  `status(ON|OFF) [REDIRECT:client-id#] [PREFIX:prefix+...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`,
			Handler: clientTracking,
		},
		{
			Name: "trackinginfo", Arity: 2, Flags: cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Since: "6.2.0", Complexity: "O(1)",
			Summary: "Describes how the keys of this session are tracked",
			Handler: clientTrackingInfo,
		},
		{
			Name: "unpause", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAll,
			Since:  "6.2.0", Complexity: "O(N) for N paused clients",
			Summary: "Ends the pause of clients",
			Handler: clientUnpause,
		},
		{
			Name: "list", Arity: -2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Tips:  []string{"nondeterministic_output"},
			Since: "2.4.0", Complexity: "O(N) for N sessions",
			Summary: "Describes all sessions, or those of a type or with given ids",
			Syntax:  `[TYPE:normal_master_replica_pubsub(NORMAL|MASTER|REPLICA|PUBSUB)>5.0.0] [ID:id{client-id#...}>6.2.0]`,
			Handler: clientList,
		},
	}
}

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
		c.Session.NoTouch, c.Server.AnyNoTouch = true, true
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
	list := slices.Collect(maps.Values(c.Server.Sessions))
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
			if sess := c.Server.Sessions[id]; sess != nil {
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
