package cmdtable

import (
	"maps"
	"slices"
	"strings"
)

// Renamed returns a table in which a command that from names is called to, or has no name if to is
// empty. from may be in any case and must be in the table. The rows stay the same: descriptions and
// statistics show the old name. [Table.Original] returns the table without any renaming.
func (t *Table) Renamed(from, to string) *Table {
	n := *t
	n.original = t.Original()
	n.byName = maps.Clone(t.byName)
	spec := t.Lookup(from)
	maps.DeleteFunc(n.byName, func(_ string, s *Spec) bool { return s == spec })
	n.changesParsing = slices.DeleteFunc(slices.Clone(t.changesParsing), func(name string) bool { return strings.EqualFold(name, from) })
	if to == "" {
		n.list = slices.DeleteFunc(slices.Clone(t.list), func(s *Spec) bool { return s == spec })
		return &n
	}
	n.byName[strings.ToLower(to)], n.byName[strings.ToUpper(to)] = spec, spec
	if len(n.changesParsing) < len(t.changesParsing) {
		n.changesParsing = append(n.changesParsing, strings.ToLower(to))
	}
	return &n
}

// Original returns the table with the names that commands have by themselves. The rules of users
// use these names.
func (t *Table) Original() *Table {
	if t.original == nil {
		return t
	}
	return t.original
}
