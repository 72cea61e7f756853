package admin

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/acl"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/files"
	"github.com/redmoon-lua/redmoon/internal/parse"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// aclArity is the error of a subcommand that counts its arguments itself.
func aclArity(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try ACL HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)))
}

func aclCat(c *server.Ctx) reply.Value {
	out := []reply.Value{}
	switch c.NArg() {
	case 2:
		for _, n := range cmdtable.CatNames() {
			out = append(out, reply.Bulk(n.Name))
		}
	case 3:
		cat := acl.CategoryOf(errtext.Cut(c.Args[2], len(c.Args[2])))
		if cat == 0 {
			return reply.Errorf("ERR Unknown category '%s'", errtext.OneLine(errtext.Cut(c.Args[2], len(c.Args[2]))))
		}
		for _, spec := range c.Server.Table.SortedByName() {
			if spec.Categories()&cat != 0 {
				out = append(out, reply.Bulk(spec.FullName()))
			}
		}
	default:
		return aclArity(c)
	}
	return reply.Array(out...)
}

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

// aclDryRun checks a command line for a user. A missing permission is a normal reply, not an error.
func aclDryRun(c *server.Ctx) reply.Value {
	u := c.Server.Access.Users[c.Args[2]]
	if u == nil {
		return reply.Errorf("ERR User '%s' not found", errtext.OneLine(errtext.Cut(c.Args[2], len(c.Args[2]))))
	}
	args := c.Args[3:]
	spec := c.Server.Table.Resolve(args)
	if spec == nil || !spec.Visible() || len(spec.Subs) > 0 && len(args) > 1 {
		return reply.Errorf("ERR Command '%s' not found", errtext.OneLine(errtext.Cut(args[0], len(args[0]))))
	}
	if spec.Arity > 0 && len(args) != spec.Arity || len(args) < -spec.Arity {
		return reply.Err(cmdtable.ErrArity(spec))
	}
	why, at := u.Check(spec, args)
	what := acl.DeniedObject(max(why, acl.DeniedCommand), spec, args, at)
	what = errtext.Cut(what, len(what))
	switch why {
	case acl.DeniedCommand:
		return reply.Bulk("This user has no permissions to run the '" + what + "' command")
	case acl.DeniedKey:
		return reply.Bulk("This user has no permissions to access the '" + what + "' key")
	case acl.DeniedChannel:
		return reply.Bulk("This user has no permissions to access the '" + what + "' channel")
	}
	return reply.OK()
}

func aclHelp() server.Handler {
	return server.Help("ACL",
		"CAT [<category>]",
		"    List all commands that belong to <category>, or all command categories",
		"    when no category is specified.",
		"DELUSER <username> [<username> ...]",
		"    Delete a list of users.",
		"DRYRUN <username> <command> [<arg> ...]",
		"    Returns whether the user can execute the given command without executing the command.",
		"GETUSER <username>",
		"    Get the user's details.",
		"GENPASS [<bits>]",
		"    Generate a secure 256-bit user password. The optional `bits` argument can",
		"    be used to specify a different size.",
		"LIST",
		"    Show users details in config file format.",
		"LOAD",
		"    Reload users from the ACL file.",
		"LOG [<count> | RESET]",
		"    Show the ACL log entries.",
		"SAVE",
		"    Save the current config to the ACL file.",
		"SETUSER <username> <attribute> [<attribute> ...]",
		"    Create or modify a user with the specified attributes.",
		"USERS",
		"    List all the registered usernames.",
		"WHOAMI",
		"    Return the current connection username.",
	)
}

// aclLoad replaces the users by those of the file, unless the file has an error.
func aclLoad(c *server.Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(acl.ErrNoACLFile)
	}
	loaded, problem := c.Server.Access.Load(path)
	if problem != "" {
		return reply.Err("ERR " + errtext.OneLine(problem))
	}
	c.Server.ReplaceUsers(loaded, c.Session)
	return reply.OK()
}

// aclSave replaces the file by one with the present users.
func aclSave(c *server.Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(acl.ErrNoACLFile)
	}
	if err := files.Replace(path, strings.Join(append(c.Server.Access.Lines(), ""), "\n")); err != nil {
		c.Server.Log.Warn("redmoon: ACL SAVE", "file", path, "error", err)
		return reply.Err("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
	}
	return reply.OK()
}

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
		reason := [...]string{acl.DeniedCommand: "command", acl.DeniedKey: "key", acl.DeniedAuth: "auth", acl.DeniedChannel: "channel"}[e.Why]
		out = append(out, reply.Map(
			reply.Bulk("count"), reply.Int(e.Count),
			reply.Bulk("reason"), reply.Bulk(reason),
			reply.Bulk("context"), reply.Bulk(e.Context),
			reply.Bulk("object"), reply.Bulk(e.Object),
			reply.Bulk("username"), reply.Bulk(e.Username),
			reply.Bulk("age-seconds"), reply.Double(float64(c.Now()-e.At)/1000),
			reply.Bulk("client-info"), reply.Bulk(e.Client),
		))
	}
	return reply.Array(out...)
}
