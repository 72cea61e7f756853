package cmdtable

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Table finds the commands of one version of Redis by name. It is immutable and shared by all
// engines.
type Table struct {
	server servers.Server
	byName map[string]*Spec // lower and upper case
	list   []*Spec          // top level, sorted by family
	All    []*Spec          // commands and subcommands; the index is Spec.ID

	changesParsing []string // the commands for which ChangesParsing returns true
	original       *Table   // before the first renaming; nil: this one
}

// NewTable returns the table of a version, made of the rows of the families that the version has.
// The table owns the rows afterwards.
func NewTable(server servers.Server, families []func() []*Spec) *Table {
	t := &Table{server: server, byName: map[string]*Spec{}}
	for _, family := range families {
		for _, s := range family() {
			if !server.HasSince(s.Since) {
				continue
			}
			s.Subs = slices.DeleteFunc(s.Subs, func(sub *Spec) bool { return !server.HasSince(sub.Since) })
			t.list = append(t.list, s)
			t.byName[s.Name] = s
			t.byName[strings.ToUpper(s.Name)] = s
			t.add(s)
			if s.ChangesParsing || slices.ContainsFunc(s.Subs, func(sub *Spec) bool { return sub.ChangesParsing }) {
				t.changesParsing = append(t.changesParsing, s.Name)
			}
			for _, sub := range s.Subs {
				sub.Parent = s
				if sub.Group == "" {
					sub.Group = s.Group
				}
				t.add(sub)
			}
		}
	}
	return t
}

func (t *Table) add(s *Spec) {
	s.ID, s.Server = len(t.All), t.server
	for _, change := range s.Later {
		if t.server.HasSince(change.Since) {
			change.Set(s)
		}
	}
	t.All = append(t.All, s)
	s.prepare()
	for _, k := range s.Keys {
		if !k.isRange() || k.Flags&Incomplete != 0 {
			s.Flags |= MovableKeys
		}
	}
	s.classifyKeys()
	s.resolveSpread()
}

// Lookup finds a command by name, in any case; nil when there is none.
func (t *Table) Lookup(name string) *Spec {
	if s, ok := t.byName[name]; ok {
		return s
	}
	return t.byName[strings.ToLower(name)]
}

// Resolve finds the command or subcommand that args name; nil when there is none. For a container
// with an unknown or missing subcommand it returns the container itself.
func (t *Table) Resolve(args []string) *Spec {
	s := t.Lookup(args[0])
	if s == nil || len(s.Subs) == 0 || len(args) < 2 {
		return s
	}
	if sub := s.Sub(args[1]); sub != nil {
		return sub
	}
	return s
}

// Sub finds a subcommand by name, in any case; nil when there is none.
func (s *Spec) Sub(name string) *Spec {
	for _, sub := range s.Subs {
		if strings.EqualFold(sub.Name, name) {
			return sub
		}
	}
	return nil
}

// List returns all commands without their subcommands, by family. The slice is the caller's.
func (t *Table) List() []*Spec { return slices.Clone(t.list) }

// Server returns the server whose commands the table has.
func (t *Table) Server() servers.Server { return t.server }

// Len returns the number of commands and subcommands; every Spec.ID is below it.
func (t *Table) Len() int { return len(t.All) }

// ChangesParsing reports whether a command, or one of its subcommands, may change how requests are
// parsed, for example their longest argument. A connection runs such a command before it parses the
// request after it. name may be in any case.
func (t *Table) ChangesParsing(name string) bool {
	for _, n := range t.changesParsing { // two names: quicker than a look-up in a map
		if len(n) == len(name) && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// Writes reports whether the command that args name may change the keyspace.
func (t *Table) Writes(args []string) bool {
	s := t.Resolve(args)
	return s != nil && s.Flags&Write != 0
}

// SortedByName returns all commands and subcommands, sorted by full name: a container comes before
// its subcommands.
func (t *Table) SortedByName() []*Spec {
	specs := slices.Clone(t.All)
	slices.SortFunc(specs, func(a, b *Spec) int { return strings.Compare(a.FullName(), b.FullName()) })
	return specs
}

// ByFullName finds a command by a name such as "get" or "config|get".
func (t *Table) ByFullName(name string) *Spec {
	parent, sub, hasSub := strings.Cut(name, "|")
	s := t.Lookup(parent)
	if s != nil && hasSub {
		return s.Sub(sub)
	}
	return s
}
