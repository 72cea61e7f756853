package acl

import (
	"maps"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// Selector is a set of rules about commands, keys, channels and databases. A command must satisfy
// all of them.
type Selector struct {
	allCommands, allKeys, AllChannels bool

	future   bool                        // future commands would be allowed: the last rule about all commands was +@all
	commands []uint64                    // allowed commands: bit Spec.ID
	args     map[*cmdtable.Spec][]string // first arguments with which a denied command is allowed
	rules    []string                    // the rules about commands since the last one about all of them; see noteRule
	keys     []keyPattern                // without allKeys
	Channels []string                    // patterns; without AllChannels

	someDBs bool  // only some databases may be used
	dbs     []int // these; sorted
}

// keyPattern allows reading, writing or both of keys that match.
type keyPattern struct {
	pattern     string
	read, write bool
}

// newSelector returns a selector that allows nothing, except all channels if acl-pubsub-default
// says so.
func (a *List) newSelector() *Selector {
	return &Selector{
		AllChannels: a.config.Value("acl-pubsub-default") == "allchannels",
		commands:    make([]uint64, (a.table.Len()+63)/64),
		args:        map[*cmdtable.Spec][]string{},
	}
}

func (s *Selector) clone() *Selector {
	c := *s
	c.commands, c.rules = slices.Clone(s.commands), slices.Clone(s.rules)
	c.keys, c.Channels, c.dbs = slices.Clone(s.keys), slices.Clone(s.Channels), slices.Clone(s.dbs)
	c.args = maps.Clone(s.args)
	for spec, list := range c.args {
		c.args[spec] = slices.Clone(list)
	}
	return &c
}

// has reports whether the command is allowed with all arguments.
func (s *Selector) has(spec *cmdtable.Spec) bool { return s.commands[spec.ID/64]>>(spec.ID%64)&1 != 0 }

// allow allows or denies a command with its subcommands, and removes rules about its first
// arguments.
func (s *Selector) allow(spec *cmdtable.Spec, yes bool) {
	bit := uint64(1) << (spec.ID % 64)
	if yes {
		s.commands[spec.ID/64] |= bit
	} else {
		s.commands[spec.ID/64] &^= bit
		s.allCommands = false
	}
	delete(s.args, spec)
	for _, sub := range spec.Subs {
		s.allow(sub, yes)
	}
}

// allowAll allows or denies all commands.
func (s *Selector) allowAll(yes bool) {
	s.allCommands, s.future, s.rules = yes, yes, nil
	word := uint64(0)
	if yes {
		word = ^word
	}
	for i := range s.commands {
		s.commands[i] = word
	}
	clear(s.args)
}

// noteRule notes a rule about a category, a command or a subcommand. It replaces the rules about
// the same, and about subcommands or first arguments of the same command.
func (s *Selector) noteRule(name string, yes bool) {
	name = strings.ToLower(name)
	s.rules = slices.DeleteFunc(s.rules, func(rule string) bool {
		rest, same := strings.CutPrefix(rule[1:], name)
		return same && (rest == "" || rest[0] == '|')
	})
	sign := "-"
	if yes {
		sign = "+"
	}
	s.rules = append(s.rules, sign+name)
}

// allowCategory allows or denies the commands of a category.
func (s *Selector) allowCategory(t *cmdtable.Table, cat cmdtable.Cat, yes bool) {
	for _, spec := range t.All {
		if spec.Categories()&cat != 0 {
			s.allow(spec, yes)
		}
	}
}

// allowArgument allows a command with this first argument.
func (s *Selector) allowArgument(spec *cmdtable.Spec, arg string) {
	for _, a := range s.args[spec] {
		if strings.EqualFold(a, arg) {
			return
		}
	}
	s.args[spec] = append(s.args[spec], arg)
}

// addKeys adds a pattern, or its new rights if it exists.
func (s *Selector) addKeys(p keyPattern) {
	for i := range s.keys {
		if k := &s.keys[i]; k.pattern == p.pattern {
			k.read, k.write = k.read || p.read, k.write || p.write
			return
		}
	}
	s.keys = append(s.keys, p)
}
