package connectioncmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const (
	ErrWrongPass  = "WRONGPASS invalid username-password pair or user is disabled."
	errClientName = "ERR Client names cannot contain spaces, newlines or special characters."
)

var errHelloNoAuth = errtext.Usual(helloNoAuth("")).Since("7.2.0", helloNoAuth("<proto> "))

// helloNoAuth returns the error of HELLO for a client that has to authenticate. proto stands before
// the option that does it.
func helloNoAuth(proto string) string {
	return "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO " + proto + "AUTH <user> <pass> " +
		"option can be used to authenticate the client and select the RESP protocol version at the same time"
}

func ping(c *server.Ctx) reply.Value {
	if c.Session.SubscribeOnly() && c.NArg() < 3 {
		return reply.Bulks(append([]string{"pong"}, append(c.Args[1:c.NArg():c.NArg()], "")[0])...)
	}
	switch c.NArg() {
	case 1:
		return reply.Status("PONG")
	case 2:
		return reply.Bulk(c.Args[1])
	}
	return reply.Err(cmdtable.ErrArity(c.Spec))
}

func echo(c *server.Ctx) reply.Value { return reply.Bulk(c.Args[1]) }

func quit(c *server.Ctx) reply.Value {
	c.Session.LeaveAfterReply()
	c.Server.EndTracking(c.Session)
	return reply.OK()
}

func selectDB(c *server.Ctx) reply.Value {
	n, ok := parse.Int(c.Args[1])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case n != int64(int32(n)):
		return reply.Err("ERR value is out of range, value must between -2147483648 and 2147483647")
	case n != 0 && c.Server.Cluster != nil && !c.Has(servers.NumberedClusterDatabases):
		return reply.Err("ERR SELECT is not allowed in cluster mode")
	case n < 0 || n >= int64(c.Server.Store.Databases()):
		return reply.Err("ERR DB index is out of range")
	}
	c.Session.DB = c.Server.Store.DB(int(n))
	return reply.OK()
}

// reset gives the session the state of a new one, except its id.
func reset(c *server.Ctx) reply.Value {
	sess := c.Session
	c.Server.EndMulti(sess)
	c.Server.UnsubscribeAll(sess)
	c.Server.EndMonitor(sess)
	c.Server.EndTracking(sess)
	sess.DB, sess.Proto, sess.Name = c.Server.Store.DB(0), 2, ""
	sess.NoTouch, sess.ReadOnly = false, false
	if c.Has(servers.ResetImports) {
		sess.Imports = false
	}
	sess.ReplyOff, sess.SkipNext, sess.RepliesTurnedOn = false, false, true
	c.Server.ResetAuth(sess)
	return reply.Status("RESET")
}

func auth(c *server.Ctx) reply.Value {
	switch c.NArg() {
	case 2:
		if c.Server.Access.Default.Flags&acl.UserNoPass != 0 {
			return reply.Err("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration " +
				"is correct?")
		}
		return authenticate(c, acl.DefaultUser, c.Args[1])
	case 3:
		return authenticate(c, c.Args[1], c.Args[2])
	}
	return reply.Err(errtext.Syntax)
}

// authenticate changes the session's user if the password is right.
func authenticate(c *server.Ctx, name, password string) reply.Value {
	u := c.Server.Access.Login(name, password)
	if u == nil {
		c.Server.LogDenial(c.Session, c.Door, acl.DeniedAuth, name, c.Args[0])
		return reply.Err(ErrWrongPass)
	}
	c.Session.User, c.Session.Authenticated = u, true
	return reply.OK()
}

// hello applies its options one after the other: those before a wrong one take effect. With
// [servers.HelloAtOnce] all of them do, or none.
func hello(c *server.Ctx) reply.Value {
	proto := int64(0)
	if c.NArg() > 1 {
		var ok bool
		if proto, ok = parse.Int(c.Args[1]); !ok {
			return reply.Err("ERR Protocol version is not an integer or out of range")
		}
		if proto != 2 && proto != 3 {
			return reply.Err("NOPROTO unsupported protocol version")
		}
	}
	options, v := parseHello(c)
	if v.IsError() {
		return v
	}
	if v := options.logIn(c); v.IsError() {
		return v
	}
	if !c.Session.Authenticated {
		return reply.Err(errHelloNoAuth.Of(c.Server.Follows))
	}
	if options.named {
		c.Session.Name = options.name
	}
	if proto != 0 {
		c.Session.Proto = int(proto)
	}
	name, version := c.Server.Follows.Kind().String(), c.Server.Follows.Release()
	if c.Server.SaysRedis() {
		name, version = "redis", c.Server.Follows.RedisRelease()
	}
	role := "master"
	if c.Server.Following.Active {
		role = "replica"
	}
	fields := []reply.Value{
		reply.Bulk("server"), reply.Bulk(name),
		reply.Bulk("version"), reply.Bulk(version),
		reply.Bulk("proto"), reply.Int(int64(c.Session.Proto)),
		reply.Bulk("id"), reply.Int(c.Session.ID),
		reply.Bulk("mode"), reply.Bulk(c.Server.ModeName()),
		reply.Bulk("role"), reply.Bulk(role),
		reply.Bulk("modules"), reply.Array(modules(c)...),
	}
	if zone := c.Server.Config.Value("availability-zone"); zone != "" && c.Has(servers.ZoneShown) {
		fields = append(fields, reply.Bulk("availability_zone"), reply.Bulk(zone))
	}
	return reply.Map(fields...)
}

// modules returns the descriptions of the modules of the server.
func modules(c *server.Ctx) []reply.Value {
	if !c.Has(servers.LuaModule) {
		return nil
	}
	return []reply.Value{reply.Map(
		reply.Bulk("name"), reply.Bulk("lua"),
		reply.Bulk("ver"), reply.Int(1),
		reply.Bulk("path"), reply.Bulk("lua"),
		reply.Bulk("args"), reply.Array(),
	)}
}

// helloOptions are the options of HELLO that are still to be applied.
type helloOptions struct {
	logsIn, named        bool
	user, password, name string
}

// parseHello reads the options. Without [servers.HelloAtOnce] it applies them, too.
func parseHello(c *server.Ctx) (o helloOptions, v reply.Value) {
	for i := 2; i < c.NArg(); i++ {
		more := c.NArg() - 1 - i
		switch opt := c.Args[i]; {
		case more >= 2 && strings.EqualFold(opt, "auth"):
			o.logsIn, o.user, o.password = true, c.Args[i+1], c.Args[i+2]
			i += 2
		case more >= 1 && strings.EqualFold(opt, "setname"):
			if !validName(c, c.Args[i+1]) {
				return o, reply.Err(errClientName)
			}
			o.named, o.name = true, c.Args[i+1]
			i++
		default:
			return o, reply.Errorf("ERR Syntax error in HELLO option '%s'", errtext.OneLine(errtext.Cut(opt, len(opt))))
		}
		if c.Has(servers.HelloAtOnce) {
			continue
		}
		if v := o.logIn(c); v.IsError() {
			return o, v
		}
		if o.named {
			c.Session.Name = o.name
		}
		o = helloOptions{}
	}
	return o, reply.OK()
}

// logIn authenticates the session if an option says so.
func (o *helloOptions) logIn(c *server.Ctx) reply.Value {
	if !o.logsIn {
		return reply.OK()
	}
	return authenticate(c, o.user, o.password)
}

// validName reports whether all characters of a client's name are printable and not spaces. With
// [servers.NamesWithNUL] those behind a NUL byte are not looked at.
func validName(c *server.Ctx, name string) bool {
	if c.Has(servers.NamesWithNUL) {
		name = errtext.Cut(name, len(name))
	}
	return printable(name)
}

// printable reports whether all characters of a text are printable ASCII and not spaces.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return true
}
