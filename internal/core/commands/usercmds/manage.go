package usercmds

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func aclSetUser(c *server.Ctx) reply.Value {
	if acl.HasSpaces(c.Args[2]) {
		return reply.Err("ERR Usernames can't contain spaces or null characters")
	}
	a := c.Server.Access
	var was *acl.User
	if u := a.Users[c.Args[2]]; u != nil {
		was = u.Clone()
	}
	if problem := a.SetUser(c.Args[2], c.Args[3:]); problem != "" {
		return reply.Err(problem)
	}
	if was != nil {
		c.Server.DropSubscribers(a.Users[c.Args[2]], was, c.Session)
	}
	return reply.OK()
}

func aclDelUser(c *server.Ctx) reply.Value {
	a := c.Server.Access
	for _, name := range c.Args[2:] {
		if errtext.Cut(name, len(name)) == acl.DefaultUser {
			return reply.Err("ERR The 'default' user cannot be removed")
		}
	}
	deleted := int64(0)
	for _, name := range c.Args[2:] {
		if u := a.Users[name]; u != nil {
			delete(a.Users, name)
			c.Server.DropUser(u, c.Session)
			deleted++
		}
	}
	return reply.Int(deleted)
}

func aclGetUser(c *server.Ctx) reply.Value {
	a := c.Server.Access
	u := a.Users[c.Args[2]]
	if u == nil {
		return reply.Nil()
	}
	fields := []reply.Value{
		reply.Bulk("flags"), reply.Set(server.Bulks(u.Flags.Names())...),
		reply.Bulk("passwords"), reply.Array(server.Bulks(u.Passwords)...),
	}
	fields = append(fields, a.SelectorFields(u.Selectors[0])...)
	others := []reply.Value{}
	for _, s := range u.Selectors[1:] {
		others = append(others, reply.Map(a.SelectorFields(s)...))
	}
	return reply.Map(append(fields, reply.Bulk("selectors"), reply.Array(others...))...)
}

func aclList(c *server.Ctx) reply.Value { return reply.Array(server.Bulks(c.Server.Access.Lines())...) }

func aclUsers(c *server.Ctx) reply.Value {
	return reply.Array(server.Bulks(c.Server.Access.Names())...)
}

func aclWhoAmI(c *server.Ctx) reply.Value { return reply.Bulk(c.Session.UserName()) }

// aclGenPass returns cryptographically random hexadecimal digits, each of four bits.
func aclGenPass(c *server.Ctx) reply.Value {
	bits := int64(256)
	switch c.NArg() {
	case 2:
	case 3:
		n, ok := parse.Int(c.Args[2])
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		if n <= 0 || n > 4096 {
			return reply.Err("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
		}
		bits = n
	default:
		return aclArity(c)
	}
	digits := int(bits+3) / 4
	raw := make([]byte, (digits+1)/2)
	_, _ = rand.Read(raw) // never fails
	return reply.Bulk(hex.EncodeToString(raw)[:digits])
}
