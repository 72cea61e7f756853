package admincmds

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func commandAll(c *server.Ctx) reply.Value { return infoOf(c.Server.Table.List()) }

func commandCount(c *server.Ctx) reply.Value { return reply.Int(int64(len(c.Server.Table.List()))) }

func commandInfo(c *server.Ctx) reply.Value {
	if c.NArg() == 2 {
		return commandAll(c)
	}
	specs := make([]*cmdtable.Spec, 0, c.NArg()-2)
	for _, name := range c.Args[2:] {
		specs = append(specs, c.Server.Table.ByFullName(name))
	}
	return infoOf(specs)
}

func commandDocs(c *server.Ctx) reply.Value {
	specs := c.Server.Table.List()
	if c.NArg() > 2 {
		specs = specs[:0]
		for _, name := range c.Args[2:] {
			if s := c.Server.Table.ByFullName(name); s != nil {
				specs = append(specs, s)
			}
		}
	}
	out := make([]reply.Value, 0, 2*len(specs))
	for _, s := range specs {
		out = append(out, reply.Bulk(s.FullName()), docsOf(s))
	}
	return reply.Map(out...)
}

// commandList lists the names of commands and subcommands.
func commandList(c *server.Ctx) reply.Value {
	var keep func(*cmdtable.Spec) bool
	switch n := c.NArg(); {
	case n == 2:
		keep = func(*cmdtable.Spec) bool { return true }
	case n != 5 || !strings.EqualFold(c.Args[2], "filterby"):
		return reply.Err(errtext.Syntax)
	case strings.EqualFold(c.Args[3], "module"):
		keep = func(*cmdtable.Spec) bool { return false }
	case strings.EqualFold(c.Args[3], "aclcat"):
		cat := cmdtable.Cat(0)
		for _, n := range cmdtable.CatNames() {
			if strings.EqualFold(n.Name, c.Args[4]) {
				cat = n.Cat
			}
		}
		keep = func(s *cmdtable.Spec) bool { return s.Categories()&cat != 0 }
	case strings.EqualFold(c.Args[3], "pattern"):
		keep = func(s *cmdtable.Spec) bool { return glob.Match(c.Args[4], s.FullName(), true) }
	default:
		return reply.Err(errtext.Syntax)
	}
	out := []reply.Value{}
	for _, s := range c.Server.Table.List() {
		for _, x := range append([]*cmdtable.Spec{s}, s.Subs...) {
			if keep(x) {
				out = append(out, reply.Bulk(x.FullName()))
			}
		}
	}
	return reply.Array(out...)
}

// keysOf finds the keys in the command line of COMMAND GETKEYS, or returns an error reply.
func keysOf(c *server.Ctx) ([]cmdtable.Key, reply.Value) {
	args := c.Args[2:]
	s := c.Server.Table.Resolve(args)
	switch {
	case s == nil || len(s.Subs) > 0 && len(args) > 1:
		return nil, reply.Err("ERR Invalid command specified")
	case !slices.ContainsFunc(s.Keys, func(k cmdtable.KeySpec) bool { return k.Flags&cmdtable.NotKey == 0 }):
		return nil, reply.Err("ERR The command has no key arguments")
	case s.Arity > 0 && len(args) != s.Arity || len(args) < -s.Arity:
		return nil, reply.Err("ERR Invalid number of arguments specified for command")
	}
	keys := s.FindKeys(args)
	if keys == nil && s.Flags&cmdtable.NoMandatoryKeys == 0 {
		return nil, reply.Err("ERR Invalid arguments specified for command")
	}
	return keys, reply.OK()
}

func commandGetKeys(c *server.Ctx) reply.Value {
	keys, v := keysOf(c)
	if v.IsError() {
		return v
	}
	out := make([]reply.Value, len(keys))
	for i, k := range keys {
		out[i] = reply.Bulk(c.Args[2+k.Pos])
	}
	return reply.Array(out...)
}

func commandGetKeysAndFlags(c *server.Ctx) reply.Value {
	keys, v := keysOf(c)
	if v.IsError() {
		return v
	}
	out := make([]reply.Value, len(keys))
	for i, k := range keys {
		out[i] = reply.Array(reply.Bulk(c.Args[2+k.Pos]), keyFlagNames(k.Flags))
	}
	return reply.Array(out...)
}

func commandHelp() server.Handler {
	return server.Help("COMMAND",
		"(no subcommand)",
		"{|-/8.0.0}    Return details about all Redis commands.",
		"{-/8.0.0}    Return details about all commands.",
		"COUNT",
		"{|-/8.0.0}    Return the total number of commands in this Redis server.",
		"{-/8.0.0}    Return the total number of commands in this server.",
		"LIST",
		"{|-/8.0.0}    Return a list of all commands in this Redis server.",
		"{-/8.0.0}    Return a list of all commands in this server.",
		"INFO [<command-name> ...]",
		"{|-/8.0.0}    Return details about multiple Redis commands.",
		"{-/8.0.0}    Return details about multiple commands.",
		"    If no command names are given, documentation details for all",
		"    commands are returned.",
		"DOCS [<command-name> ...]",
		"{|-/8.0.0}    Return documentation details about multiple Redis commands.",
		"{-/8.0.0}    Return documentation details about multiple commands.",
		"    If no command names are given, documentation details for all",
		"    commands are returned.",
		"GETKEYS <full-command>",
		"{|-/8.0.0}    Return the keys from a full Redis command.",
		"{-/8.0.0}    Return the keys from a full command.",
		"GETKEYSANDFLAGS <full-command>",
		"{|-/8.0.0}    Return the keys and the access flags from a full Redis command.",
		"{-/8.0.0}    Return the keys and the access flags from a full command.",
	)
}
