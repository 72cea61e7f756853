package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Row describes a directive of redis.conf, for docs/dropin.md.
type Row struct {
	Name    string // with its alias
	Default string
	Values  string // what it takes
	Does    string // begins with "effect", "no effect" or "stops the start"
}

// Rows describes every directive of Redis 7.0.15, sorted by name.
func Rows() []Row {
	var rows []Row
	for _, p := range paramsOf(servers.Redis70) {
		rows = append(rows, p.row())
	}
	for _, d := range Directives() {
		rows = append(rows, Row{Name: d.Name, Values: d.Args, Does: d.Does})
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

func (p *Param) row() Row {
	r := Row{Name: p.Name, Default: p.Def, Values: p.values(), Does: "effect: " + p.does}
	if p.Alias != "" {
		r.Name += ", " + p.Alias
	}
	if p.Name == "dir" {
		r.Default = "the working directory"
	}
	if p.without != "" {
		r.Does = "no effect: " + p.without
	}
	if p.RefusedInFile != "" || p.refuse != nil && !p.AllowedInFile {
		r.Does = "another value than the default stops the start: " + p.without
	}
	return r
}

// values says which values the parameter takes.
func (p *Param) values() string {
	var s string
	switch p.Kind {
	case boolParam:
		s = "yes, no"
	case enumParam:
		s = strings.Join(p.enum, ", ")
	case intParam:
		s = fmt.Sprintf("%d to %d", p.min, p.max)
	case memoryParam:
		s = fmt.Sprintf("%d to %d bytes", p.min, uint64(p.max))
	case checkedParam:
		s = "text in a form of its own"
	case ListParam:
		s = "a list"
	default:
		s = "text"
	}
	if p.leastSet != 0 {
		s += fmt.Sprintf("; CONFIG SET takes less as %d", p.leastSet)
	}
	if p.clampMax != 0 {
		s += fmt.Sprintf("; taken as %d to %d", p.clampMin, p.clampMax)
	}
	switch {
	case p.Immutable:
		s += "; fixed"
	case p.Protected:
		s += "; protected"
	}
	return s
}
