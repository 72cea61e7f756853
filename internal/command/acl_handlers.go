package command

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// aclArity answers for a subcommand that counts its arguments itself.
func aclArity(c *Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try ACL HELP.", oneLine(cut(c.Args[1], 128)))
}

func aclCat(c *Ctx) reply.Value {
	out := []reply.Value{}
	switch c.NArg() {
	case 2:
		for _, n := range catNames() {
			out = append(out, reply.Bulk(n.name))
		}
	case 3:
		cat := categoryOf(cut(c.Args[2], len(c.Args[2])))
		if cat == 0 {
			return reply.Errorf("ERR Unknown category '%s'", oneLine(cut(c.Args[2], len(c.Args[2]))))
		}
		for _, spec := range c.Server.Table.byNames() {
			if spec.Categories()&cat != 0 {
				out = append(out, reply.Bulk(spec.FullName()))
			}
		}
	default:
		return aclArity(c)
	}
	return reply.Array(out...)
}

func aclSetUser(c *Ctx) reply.Value {
	if hasSpaces(c.Args[2]) {
		return reply.Err("ERR Usernames can't contain spaces or null characters")
	}
	a := c.Server.access
	var was *User
	if u := a.users[c.Args[2]]; u != nil {
		was = u.clone()
	}
	if problem := a.setUser(c.Args[2], c.Args[3:]); problem != "" {
		return reply.Err(problem)
	}
	if was != nil {
		c.Server.dropSubscribers(a.users[c.Args[2]], was, c.Session)
	}
	return reply.OK()
}

func aclDelUser(c *Ctx) reply.Value {
	a := c.Server.access
	for _, name := range c.Args[2:] {
		if cut(name, len(name)) == defaultUser {
			return reply.Err("ERR The 'default' user cannot be removed")
		}
	}
	deleted := int64(0)
	for _, name := range c.Args[2:] {
		if u := a.users[name]; u != nil {
			delete(a.users, name)
			c.Server.dropUser(u, c.Session)
			deleted++
		}
	}
	return reply.Int(deleted)
}

func aclGetUser(c *Ctx) reply.Value {
	a := c.Server.access
	u := a.users[c.Args[2]]
	if u == nil {
		return reply.Nil()
	}
	fields := []reply.Value{
		reply.Bulk("flags"), reply.Set(bulks(u.flags.names())...),
		reply.Bulk("passwords"), reply.Array(bulks(u.passwords)...),
	}
	fields = append(fields, a.selectorFields(u.selectors[0])...)
	others := []reply.Value{}
	for _, s := range u.selectors[1:] {
		others = append(others, reply.Map(a.selectorFields(s)...))
	}
	return reply.Map(append(fields, reply.Bulk("selectors"), reply.Array(others...))...)
}

func (a *access) selectorFields(s *selector) []reply.Value {
	return []reply.Value{
		reply.Bulk("commands"), reply.Bulk(a.describeCommands(s)),
		reply.Bulk("keys"), reply.Bulk(s.describeKeys()),
		reply.Bulk("channels"), reply.Bulk(s.describeChannels()),
	}
}

func aclList(c *Ctx) reply.Value { return reply.Array(bulks(c.Server.access.lines())...) }

// lines are the users as a file of users has them.
func (a *access) lines() []string {
	lines := a.names()
	for i, name := range lines {
		lines[i] = "user " + name + " " + a.describe(a.users[name])
	}
	return lines
}

func aclUsers(c *Ctx) reply.Value { return reply.Array(bulks(c.Server.access.names())...) }

func aclWhoAmI(c *Ctx) reply.Value { return reply.Bulk(c.Session.userName()) }

// aclGenPass answers hexadecimal digits that nobody can guess: four bits each.
func aclGenPass(c *Ctx) reply.Value {
	bits := int64(256)
	switch c.NArg() {
	case 2:
	case 3:
		n, ok := parseInt(c.Args[2])
		if !ok {
			return reply.Err(errNotInteger)
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

// aclDryRun checks a command line for a user. What the user lacks is no error of the call itself.
func aclDryRun(c *Ctx) reply.Value {
	u := c.Server.access.users[c.Args[2]]
	if u == nil {
		return reply.Errorf("ERR User '%s' not found", oneLine(cut(c.Args[2], len(c.Args[2]))))
	}
	args := c.Args[3:]
	spec := c.Server.Table.Resolve(args)
	if spec == nil || !spec.visible() || len(spec.Subs) > 0 && len(args) > 1 {
		return reply.Errorf("ERR Command '%s' not found", oneLine(cut(args[0], len(args[0]))))
	}
	if spec.Arity > 0 && len(args) != spec.Arity || len(args) < -spec.Arity {
		return reply.Err(errArity(spec))
	}
	why, at := u.check(spec, args)
	what := denied(max(why, deniedCommand), spec, args, at)
	what = cut(what, len(what))
	switch why {
	case deniedCommand:
		return reply.Bulk("This user has no permissions to run the '" + what + "' command")
	case deniedKey:
		return reply.Bulk("This user has no permissions to access the '" + what + "' key")
	case deniedChannel:
		return reply.Bulk("This user has no permissions to access the '" + what + "' channel")
	}
	return reply.OK()
}

func aclHelp() Handler {
	return help("ACL",
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
