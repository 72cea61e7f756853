package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// visible are the commands that clients may know of.
func (t *Table) visible() []*Spec {
	out := make([]*Spec, 0, len(t.list))
	for _, s := range t.list {
		if s.visible() {
			out = append(out, s)
		}
	}
	return out
}

// byFullName finds a visible command by a name such as "get" or "config|get".
func (t *Table) byFullName(name string) *Spec {
	parent, sub, hasSub := strings.Cut(name, "|")
	s := t.Lookup(parent)
	if s != nil && hasSub {
		s = s.Sub(sub)
	}
	if s == nil || !s.visible() {
		return nil
	}
	return s
}

func commandAll(c *Ctx) reply.Value { return infoOf(c.Server.Table.visible()) }

func commandCount(c *Ctx) reply.Value { return reply.Int(int64(len(c.Server.Table.visible()))) }

func commandInfo(c *Ctx) reply.Value {
	if c.NArg() == 2 {
		return commandAll(c)
	}
	specs := make([]*Spec, 0, c.NArg()-2)
	for _, name := range c.Args[2:] {
		specs = append(specs, c.Server.Table.byFullName(name))
	}
	return infoOf(specs)
}

func commandDocs(c *Ctx) reply.Value {
	specs := c.Server.Table.visible()
	if c.NArg() > 2 {
		specs = specs[:0]
		for _, name := range c.Args[2:] {
			if s := c.Server.Table.byFullName(name); s != nil {
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
func commandList(c *Ctx) reply.Value {
	var keep func(*Spec) bool
	switch n := c.NArg(); {
	case n == 2:
		keep = func(*Spec) bool { return true }
	case n != 5 || !strings.EqualFold(c.Args[2], "filterby"):
		return reply.Err(errSyntax)
	case strings.EqualFold(c.Args[3], "module"):
		keep = func(*Spec) bool { return false }
	case strings.EqualFold(c.Args[3], "aclcat"):
		cat := Cat(0)
		for _, n := range catNames() {
			if strings.EqualFold(n.name, c.Args[4]) {
				cat = n.cat
			}
		}
		keep = func(s *Spec) bool { return s.Categories()&cat != 0 }
	case strings.EqualFold(c.Args[3], "pattern"):
		keep = func(s *Spec) bool { return MatchGlob(c.Args[4], s.FullName(), true) }
	default:
		return reply.Err(errSyntax)
	}
	out := []reply.Value{}
	for _, s := range c.Server.Table.visible() {
		for _, x := range append([]*Spec{s}, s.visibleSubs()...) {
			if keep(x) {
				out = append(out, reply.Bulk(x.FullName()))
			}
		}
	}
	return reply.Array(out...)
}

// keysOf finds the keys in the command line of COMMAND GETKEYS, or says why not.
func (c *Ctx) keysOf() ([]Key, reply.Value) {
	args := c.Args[2:]
	s := c.Server.Table.Resolve(args)
	switch {
	case s == nil || len(s.Subs) > 0 && len(args) > 1:
		return nil, reply.Err("ERR Invalid command specified")
	case len(s.Keys) == 0:
		return nil, reply.Err("ERR The command has no key arguments")
	case s.Arity > 0 && len(args) != s.Arity || len(args) < -s.Arity:
		return nil, reply.Err("ERR Invalid number of arguments specified for command")
	}
	keys := s.FindKeys(args)
	if keys == nil && s.Flags&NoMandatoryKeys == 0 {
		return nil, reply.Err("ERR Invalid arguments specified for command")
	}
	return keys, reply.OK()
}

func commandGetKeys(c *Ctx) reply.Value {
	keys, v := c.keysOf()
	if v.IsError() {
		return v
	}
	out := make([]reply.Value, len(keys))
	for i, k := range keys {
		out[i] = reply.Bulk(c.Args[2+k.Pos])
	}
	return reply.Array(out...)
}

func commandGetKeysAndFlags(c *Ctx) reply.Value {
	keys, v := c.keysOf()
	if v.IsError() {
		return v
	}
	out := make([]reply.Value, len(keys))
	for i, k := range keys {
		out[i] = reply.Array(reply.Bulk(c.Args[2+k.Pos]), k.Flags.names())
	}
	return reply.Array(out...)
}
