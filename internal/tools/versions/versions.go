package versions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	_ "github.com/redmoon-lua/redmoon/internal/core/commands" // the texts of its errors
	"github.com/redmoon-lua/redmoon/internal/core/config"
)

// Section is one kind of differences between two servers.
type Section struct {
	Title string
	Lines []string
}

// Compare returns what is different on server b for someone who comes from server a: what concerns
// scripts first. Sections without lines are left out.
func Compare(a, b servers.Server) []Section {
	var list []Section
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			list = append(list, Section{title, lines})
		}
	}
	old, now := cmdrows.TableOf(a), cmdrows.TableOf(b)
	add("Scripts", append(features(a, b, "Time", "Lua"), forScripts(old, now)...))
	add("Numbers", features(a, b, "Numbers"))
	add("New commands", names(now, old))
	add("Commands that are gone", names(old, now))
	add("New options", options(now, old))
	add("Options that are gone", options(old, now))
	add("Commands that answer in another way", features(a, b, "Commands"))
	add("Encodings and files", features(a, b, "Encodings", "Files"))
	add("Error texts", texts(a, b))
	add("Configuration", configuration(a, b))
	return list
}

// features returns what server b does and a does not, and the reverse, of some groups.
func features(a, b servers.Server, groups ...string) (lines []string) {
	for _, f := range servers.Features() {
		group, text := f.About()
		if !slices.Contains(groups, group) {
			continue
		}
		switch {
		case b.Has(f) && !a.Has(f):
			lines = append(lines, text)
		case a.Has(f) && !b.Has(f):
			lines = append(lines, "no longer: "+text)
		}
	}
	return lines
}

// byName returns the commands and subcommands of a table by their names as users write them.
func byName(t *cmdtable.Table) map[string]*cmdtable.Spec {
	m := map[string]*cmdtable.Spec{}
	for _, s := range t.All {
		if len(s.Subs) == 0 {
			m[title(s)] = s
		}
	}
	return m
}

func title(s *cmdtable.Spec) string {
	return strings.ToUpper(strings.ReplaceAll(s.FullName(), "|", " "))
}

// names returns the commands that a table has and another has not.
func names(has, hasNot *cmdtable.Table) (lines []string) {
	other := byName(hasNot)
	for _, name := range slices.Sorted(maps.Keys(byName(has))) {
		if other[name] == nil {
			lines = append(lines, name)
		}
	}
	return lines
}

// both calls f for each command that two tables have, by name.
func both(a, b *cmdtable.Table, f func(name string, x, y *cmdtable.Spec)) {
	of := byName(b)
	for name, x := range byName(a) {
		if y := of[name]; y != nil {
			f(name, x, y)
		}
	}
}

// options returns the keywords of commands that a table has and another has not.
func options(has, hasNot *cmdtable.Table) (lines []string) {
	both(has, hasNot, func(name string, x, y *cmdtable.Spec) {
		var more []string
		known := tokens(y.Arguments(), nil)
		for _, token := range tokens(x.Arguments(), nil) {
			if !slices.Contains(known, token) && !slices.Contains(more, token) {
				more = append(more, token)
			}
		}
		if len(more) > 0 {
			lines = append(lines, name+": "+strings.Join(more, ", "))
		}
	})
	slices.Sort(lines)
	return lines
}

func tokens(args []cmdtable.Arg, list []string) []string {
	for i := range args {
		if args[i].Token != "" {
			list = append(list, args[i].Token)
		}
		list = tokens(args[i].Args, list)
	}
	return list
}

// forScripts returns the commands that scripts may call on one of two servers only.
func forScripts(old, now *cmdtable.Table) (lines []string) {
	var allowed, refused []string
	both(old, now, func(name string, x, y *cmdtable.Spec) {
		switch was, is := x.Flags&cmdtable.NoScript == 0, y.Flags&cmdtable.NoScript == 0; {
		case is && !was:
			allowed = append(allowed, name)
		case was && !is:
			refused = append(refused, name)
		}
	})
	for _, l := range []struct {
		names []string
		text  string
	}{{allowed, "scripts may call "}, {refused, "scripts may no longer call "}} {
		if slices.Sort(l.names); len(l.names) > 0 {
			lines = append(lines, l.text+strings.Join(l.names, ", "))
		}
	}
	return lines
}

// texts returns the error texts that the servers have in different words.
func texts(a, b servers.Server) (lines []string) {
	for _, pair := range errtext.Changed(a, b) {
		lines = append(lines, fmt.Sprintf("%q is %q", pair[0], pair[1]))
	}
	return lines
}

// configuration returns the parameters that only one of the servers has, and the defaults that
// differ.
func configuration(a, b servers.Server) (lines []string) {
	defaults := func(s servers.Server) map[string]string {
		m := map[string]string{}
		for _, p := range config.New(datastore.DefaultLimits(), s).Params {
			if !p.Hidden {
				m[p.Name] = p.Def
			}
		}
		return m
	}
	old, now := defaults(a), defaults(b)
	var added, gone, changed []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if def, ok := old[name]; !ok {
			added = append(added, name)
		} else if def != now[name] {
			changed = append(changed, fmt.Sprintf("the default of %s is %q; it was %q", name, now[name], def))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if _, ok := now[name]; !ok {
			gone = append(gone, name)
		}
	}
	if len(added) > 0 {
		lines = append(lines, "new: "+strings.Join(added, ", "))
	}
	if len(gone) > 0 {
		lines = append(lines, "gone: "+strings.Join(gone, ", "))
	}
	return append(lines, changed...)
}
