package command

import (
	"slices"
	"strings"
)

// describe is the user's line in ACL LIST, without the word user and the name.
func (a *access) describe(u *User) string {
	words := u.flags.names()
	for _, p := range u.passwords {
		words = append(words, "#"+p)
	}
	for i, s := range u.selectors {
		text := a.describeSelector(s)
		if i > 0 {
			text = "(" + text + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func (a *access) describeSelector(s *selector) string {
	var words []string
	if keys := s.describeKeys(); keys != "" {
		words = append(words, keys)
	}
	if !s.allChannels {
		words = append(words, "resetchannels")
	}
	if channels := s.describeChannels(); channels != "" {
		words = append(words, channels)
	}
	return strings.Join(append(words, a.describeCommands(s)), " ")
}

func (s *selector) describeKeys() string {
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

func (s *selector) describeChannels() string {
	if s.allChannels {
		return "&*"
	}
	words := make([]string, len(s.channels))
	for i, c := range s.channels {
		words[i] = "&" + c
	}
	return strings.Join(words, " ")
}

// describeCommands finds rules that give the selector's commands, as Redis does: all or none of the commands, then the
// categories that come nearest, best first, then single commands, which stand in the order of their names.
func (a *access) describeCommands(s *selector) string {
	add, sign, words := !s.future, "+", []string{"-@all"}
	if !add {
		sign, words = "-", []string{"+@all"}
	}
	rest, made := s.clone(), s.clone() // what the rules do not tell yet, and what they give
	made.allowAll(s.future)
	left := catNames()
	for {
		best := a.nearest(rest, left, add)
		if best < 0 {
			break
		}
		words = append(words, sign+"@"+left[best].name)
		made.allowCategory(a.table, left[best].cat, add)
		rest.allowCategory(a.table, left[best].cat, !add)
		left = slices.Delete(left, best, best+1)
	}
	for _, spec := range a.table.byNames() {
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

// nearest returns the place in cats of the category of which most commands stand right already, or -1 when no category has more right
// commands than wrong ones. The fewest wrong ones count first, then the most right ones.
func (a *access) nearest(s *selector, cats []catName, add bool) int {
	best, fewest, most := -1, a.table.Len(), 0
	for i, c := range cats {
		right, wrong := 0, 0
		for _, spec := range a.table.all {
			switch {
			case spec.Categories()&c.cat == 0:
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

// byNames are all commands and subcommands that clients may know of, sorted by name, a container before its subcommands.
func (t *Table) byNames() []*Spec {
	specs := slices.DeleteFunc(slices.Clone(t.all), func(s *Spec) bool { return !s.visible() })
	slices.SortFunc(specs, func(a, b *Spec) int { return strings.Compare(a.FullName(), b.FullName()) })
	return specs
}
