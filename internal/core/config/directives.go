package config

import "strings"

// Directive is a line of a configuration file that is not a parameter: CONFIG does not know it.
type Directive struct {
	Name     string
	Args     string // as a user reads it
	Min, Max int    // number of arguments; Max -1: no limit
	Does     string // what it does here
}

// ModuleDirective stands for all directives of modules: their names have a dot in them.
const ModuleDirective = "MODULE.NAME"

// Directives returns every directive of Redis 7.0.15 that is not a parameter.
func Directives() []Directive {
	const ignored = "no effect, as in Redis: it is from the time before Redis 3.2"
	return []Directive{
		{"include", "path", 1, 1, "effect: reads another file, or all that match a pattern"},
		{"list-max-ziplist-entries", "number", 1, 1, ignored},
		{"list-max-ziplist-value", "number", 1, 1, ignored},
		{"loadmodule", "path [argument ...]", 1, -1, "stops the start: there are no modules"},
		{ModuleDirective, "value ...", 0, -1, "stops the start: there are no modules"},
		{"rename-command", "command name", 2, 2, "effect: gives a command another name; an empty name removes it"},
		{"sentinel", "word ...", 0, -1, "stops the start, as in Redis without --sentinel; alone on its line it has no effect"},
		{"user", "name [rule ...]", 1, -1, "effect: defines a user, with the rules of ACL SETUSER"},
	}
}

// DirectiveNamed returns the row of a directive that is not a parameter, or nil. name is in lower
// case.
func DirectiveNamed(name string) *Directive {
	if strings.Contains(name, ".") {
		name = ModuleDirective
	}
	for _, d := range Directives() {
		if d.Name == name {
			return &d
		}
	}
	return nil
}

// Takes reports whether the directive can have n arguments.
func (d *Directive) Takes(n int) bool { return n >= d.Min && (d.Max < 0 || n <= d.Max) }
