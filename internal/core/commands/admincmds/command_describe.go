package admincmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// infoOf describes commands in the form of COMMAND INFO; a nil row gives a null.
func infoOf(specs []*cmdtable.Spec) reply.Value {
	out := make([]reply.Value, len(specs))
	for i, s := range specs {
		if s == nil {
			out[i] = reply.Nil()
			continue
		}
		first, last, step := s.LegacyRange()
		keys := make([]reply.Value, len(s.Keys))
		for j := range s.Keys {
			keys[j] = keySpecInfo(&s.Keys[j])
		}
		out[i] = reply.Array(reply.Bulk(s.FullName()), reply.Int(int64(s.Arity)), flagNames(s),
			reply.Int(int64(first)), reply.Int(int64(last)), reply.Int(int64(step)), categoryNames(s.Categories()),
			reply.Set(server.Bulks(s.Tips)...), reply.Set(keys...), infoOfSubs(s))
	}
	return reply.Array(out...)
}

// infoOfSubs returns an array of the subcommands. Most servers have an empty set for a command
// without subcommands.
func infoOfSubs(s *cmdtable.Spec) reply.Value {
	if len(s.Subs) == 0 && !s.Server.Has(servers.NoSubcommandsArray) {
		return reply.Set()
	}
	return infoOf(s.Subs)
}

func flagNames(s *cmdtable.Spec) reply.Value {
	var out []reply.Value
	for _, n := range cmdtable.FlagNames(s.Server) {
		if s.Flags&n.Flag != 0 {
			out = append(out, reply.Status(n.Name))
		}
	}
	return reply.Set(out...)
}

func categoryNames(c cmdtable.Cat) reply.Value {
	var out []reply.Value
	for _, n := range cmdtable.CatNames() {
		if c&n.Cat != 0 {
			out = append(out, reply.Status("@"+n.Name))
		}
	}
	return reply.Set(out...)
}

func keyFlagNames(f cmdtable.KeyFlag) reply.Value {
	var out []reply.Value
	for _, n := range cmdtable.KeyFlagNames() {
		if f&n.Flag != 0 {
			out = append(out, reply.Status(n.Name))
		}
	}
	return reply.Set(out...)
}

// info describes the key-spec in the form of COMMAND INFO, without the field notes.
func keySpecInfo(k *cmdtable.KeySpec) reply.Value {
	begin, find := typed("unknown"), typed("unknown")
	switch {
	case k.Keyword != "":
		begin = typed("keyword", "keyword", k.Keyword, "startfrom", k.From)
	case k.Index > 0:
		begin = typed("index", "index", k.Index)
	}
	switch {
	case k.KeyNum:
		find = typed("keynum", "keynumidx", k.NumIdx, "firstkey", k.First, "keystep", k.Step)
	case k.Step != 0:
		find = typed("range", "lastkey", k.Last, "keystep", k.Step, "limit", k.Limit)
	}
	return reply.Map(reply.Bulk("flags"), keyFlagNames(k.Flags), reply.Bulk("begin_search"), begin, reply.Bulk("find_keys"), find)
}

// typed returns a map of a type and its spec, which is given as fields and values.
func typed(name string, spec ...any) reply.Value {
	fields := make([]reply.Value, len(spec))
	for i, x := range spec {
		switch x := x.(type) {
		case string:
			fields[i] = reply.Bulk(x)
		case int:
			fields[i] = reply.Int(int64(x))
		}
	}
	return reply.Map(reply.Bulk("type"), reply.Bulk(name), reply.Bulk("spec"), reply.Map(fields...))
}

// docsOf describes the row in the form of COMMAND DOCS.
func docsOf(s *cmdtable.Spec) reply.Value {
	var out []reply.Value
	text := func(field, value string) {
		if value != "" {
			out = append(out, reply.Bulk(field), reply.Bulk(value))
		}
	}
	text("summary", s.Summary)
	text("since", sinceOf(s.Since, s.Server))
	text("group", s.Group)
	text("complexity", s.Complexity)
	if len(s.DocFlags) > 0 || s.Deprecated != "" {
		var flags []reply.Value
		if s.Deprecated != "" {
			flags = append(flags, reply.Status("deprecated"))
		}
		for _, f := range s.DocFlags {
			if f != "deprecated" {
				flags = append(flags, reply.Status(f))
			}
		}
		out = append(out, reply.Bulk("doc_flags"), reply.Set(flags...))
	}
	text("deprecated_since", s.Deprecated)
	text("replaced_by", s.ReplacedBy)
	if args := s.Arguments(); args != nil {
		out = append(out, reply.Bulk("arguments"), docArgs(s.Server, args))
	}
	if len(s.Subs) > 0 {
		var subs []reply.Value
		for _, sub := range s.Subs {
			subs = append(subs, reply.Bulk(sub.FullName()), docsOf(sub))
		}
		out = append(out, reply.Bulk("subcommands"), reply.Map(subs...))
	}
	return reply.Map(out...)
}

// sinceOf returns the release since which a server has something.
func sinceOf(since servers.Since, s servers.Server) string {
	release, _ := since.Of(s.Kind())
	return release
}

// docArgs describes arguments. Later versions add a name to display, except to tokens.
func docArgs(c servers.Server, args []cmdtable.Arg) reply.Value {
	list := make([]reply.Value, len(args))
	for i := range args {
		a := &args[i]
		out := []reply.Value{reply.Bulk("name"), reply.Bulk(a.Name), reply.Bulk("type"), reply.Bulk(a.Type)}
		if c.Has(servers.ArgumentsShown) && a.Type != "oneof" && a.Type != "block" {
			out = append(out, reply.Bulk("display_text"), reply.Bulk(a.Shown()))
		}
		if a.Type == "key" || a.ShowsKeySpec {
			out = append(out, reply.Bulk("key_spec_index"), reply.Int(int64(a.KeySpec)))
		}
		if a.Token != "" || a.Type == "pure-token" {
			out = append(out, reply.Bulk("token"), reply.Bulk(a.Token))
		}
		if a.Since != "" {
			out = append(out, reply.Bulk("since"), reply.Bulk(sinceOf(a.Since, c)))
		}
		if a.Deprecated != "" {
			out = append(out, reply.Bulk("deprecated_since"), reply.Bulk(a.Deprecated))
		}
		var flags []reply.Value
		for _, f := range []struct {
			set  bool
			name string
		}{{a.Optional, "optional"}, {a.Multiple, "multiple"}, {a.MultipleToken, "multiple_token"}} {
			if f.set {
				flags = append(flags, reply.Status(f.name))
			}
		}
		if flags != nil {
			out = append(out, reply.Bulk("flags"), reply.Set(flags...))
		}
		if a.Args != nil {
			out = append(out, reply.Bulk("arguments"), docArgs(c, a.Args))
		}
		list[i] = reply.Map(out...)
	}
	return reply.Array(list...)
}
