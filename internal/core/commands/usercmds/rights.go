package usercmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

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

// aclDryRun checks a command line for a user. A missing permission is a normal reply, not an error.
func aclDryRun(c *server.Ctx) reply.Value {
	u := c.Server.Access.Users[c.Args[2]]
	if u == nil {
		return reply.Errorf("ERR User '%s' not found", errtext.OneLine(errtext.Cut(c.Args[2], len(c.Args[2]))))
	}
	args := c.Args[3:]
	spec := c.Server.Table.Resolve(args)
	if spec == nil || len(spec.Subs) > 0 && len(args) > 1 {
		return reply.Errorf("ERR Command '%s' not found", errtext.OneLine(errtext.Cut(args[0], len(args[0]))))
	}
	if spec.Arity > 0 && len(args) != spec.Arity || len(args) < -spec.Arity {
		return reply.Err(cmdtable.ErrArity(spec))
	}
	why, at := u.Check(spec, args, c.Server.PlaceOf(c.Session))
	what := args[at]
	if why == acl.DeniedCommand {
		what = spec.FullName()
	}
	who := "This user"
	if c.Has(servers.NamedDenials) {
		who = "User " + u.Name
	} else {
		what = errtext.Cut(what, len(what))
	}
	switch why {
	case acl.DeniedCommand:
		return reply.Bulk(who + " has no permissions to run the '" + what + "' command")
	case acl.DeniedDatabase:
		return reply.Bulk(who + " has no permissions to access database " + what)
	case acl.DeniedKey:
		return reply.Bulk(who + " has no permissions to access the '" + what + "' key")
	case acl.DeniedChannel:
		return reply.Bulk(who + " has no permissions to access the '" + what + "' channel")
	}
	return reply.OK()
}
