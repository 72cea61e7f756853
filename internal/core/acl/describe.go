package acl

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// describe returns the user's line in ACL LIST, without the word user and the name.
func (a *List) describe(u *User) string {
	words := u.Flags.Names()
	for _, p := range u.Passwords {
		words = append(words, "#"+p)
	}
	for i, s := range u.Selectors {
		text := a.describeSelector(s)
		if i > 0 {
			text = "(" + text + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func (a *List) describeSelector(s *Selector) string {
	var words []string
	if keys := s.describeKeys(); keys != "" {
		words = append(words, keys)
	}
	if !s.AllChannels {
		words = append(words, "resetchannels")
	}
	if channels := s.describeChannels(); channels != "" {
		words = append(words, channels)
	}
	if s.someDBs {
		rule := s.describeDatabases()
		if rule == "" {
			rule = "resetdbs"
		}
		words = append(words, rule)
	}
	return strings.Join(append(words, a.describeCommands(s)), " ")
}

func (s *Selector) describeKeys() string {
	if s.allKeys {
		return "~*"
	}
	words := make([]string, len(s.keys))
	for i, k := range s.keys {
		mark := "~"
		switch {
		case !k.write:
			mark = "%R~"
		case !k.read:
			mark = "%W~"
		}
		words[i] = mark + k.pattern
	}
	return strings.Join(words, " ")
}

func (s *Selector) describeChannels() string {
	if s.AllChannels {
		return "&*"
	}
	words := make([]string, len(s.Channels))
	for i, c := range s.Channels {
		words[i] = "&" + c
	}
	return strings.Join(words, " ")
}

// describeCommands returns rules that allow the selector's commands.
func (a *List) describeCommands(s *Selector) string {
	if !a.table.Server().Has(servers.RulesAsWritten) {
		return a.findRules(s)
	}
	all := "-@all"
	if s.future {
		all = "+@all"
	}
	return strings.Join(append([]string{all}, s.rules...), " ")
}

// findRules finds rules that allow the selector's commands, as Redis does: all or no
// commands, then the best matching categories, then single commands in the order of their names.
func (a *List) findRules(s *Selector) string {
	add, sign, words := !s.future, "+", []string{"-@all"}
	if !add {
		sign, words = "-", []string{"+@all"}
	}
	rest, made := s.clone(), s.clone() // what the rules do not cover yet, and what they allow
	made.allowAll(s.future)
	left := cmdtable.CatNames()
	for {
		best := a.nearest(rest, left, add)
		if best < 0 {
			break
		}
		words = append(words, sign+"@"+left[best].Name)
		made.allowCategory(a.table, left[best].Cat, add)
		rest.allowCategory(a.table, left[best].Cat, !add)
		left = slices.Delete(left, best, best+1)
	}
	for _, spec := range a.table.SortedByName() {
		name := spec.FullName()
		if yes := s.has(spec); yes != made.has(spec) {
			word := "-" + name
			if yes {
				word = "+" + name
			}
			words = append(words, word)
			made.allow(spec, yes)
		}
		if !s.has(spec) {
			for _, arg := range s.args[spec] {
				words = append(words, "+"+name+"|"+arg)
			}
		}
	}
	return strings.Join(words, " ")
}

// nearest returns the index in cats of the best category: with the fewest wrong commands, then the
// most right ones. A command is right if the selector allows it exactly when add is set. It returns
// -1 if no category has more right commands than wrong ones.
func (a *List) nearest(s *Selector, cats []cmdtable.CatName, add bool) int {
	best, fewest, most := -1, a.table.Len(), 0
	for i, c := range cats {
		right, wrong := 0, 0
		for _, spec := range a.table.All {
			switch {
			case spec.Categories()&c.Cat == 0:
			case s.has(spec) == add:
				right++
			default:
				wrong++
			}
		}
		if right > wrong && (wrong < fewest || wrong == fewest && right > most) {
			best, fewest, most = i, wrong, right
		}
	}
	return best
}

// SelectorFields returns the fields of a selector in the reply of ACL GETUSER.
func (a *List) SelectorFields(s *Selector) []reply.Value {
	fields := []reply.Value{
		reply.Bulk("commands"), reply.Bulk(a.describeCommands(s)),
		reply.Bulk("keys"), reply.Bulk(s.describeKeys()),
		reply.Bulk("channels"), reply.Bulk(s.describeChannels()),
	}
	if a.databases() {
		fields = append(fields, reply.Bulk("databases"), reply.Bulk(s.describeDatabases()))
	}
	return fields
}

// Lines returns the lines of the users in an ACL file, sorted by name.
func (a *List) Lines() []string {
	lines := a.Names()
	for i, name := range lines {
		lines[i] = "user " + name + " " + a.describe(a.Users[name])
	}
	return lines
}
