package cmdtable

import (
	"slices"
	"strings"
)

// Names returns the names of all visible commands and subcommands, sorted. A subcommand is written
// after its parent and a space: "config get".
func (t *Table) Names() []string {
	var out []string
	for _, s := range t.List() {
		out = append(out, s.Name)
		for _, sub := range s.Subs {
			out = append(out, s.Name+" "+sub.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Hint returns the arguments that may follow the typed words, for example "value [NX|XX] [GET] ..."
// after "set", "key". It is empty for an unknown command and when no argument may follow.
func (t *Table) Hint(typed ...string) string {
	if len(typed) == 0 {
		return ""
	}
	s := t.Resolve(typed)
	if s == nil {
		return ""
	}
	if s.Parent != nil {
		return s.hint(typed[2:])
	}
	return s.hint(typed[1:])
}

// hint is Hint for the words that follow the name of the command.
func (s *Spec) hint(typed []string) string {
	if len(s.Subs) > 0 {
		return subcommandHint(s, typed)
	}
	args := s.Arguments()
	for _, word := range typed {
		if args = after(args, word); args == nil {
			return ""
		}
	}
	return joinArgs(args, " ")
}

func subcommandHint(s *Spec, typed []string) string {
	if len(typed) > 0 {
		return ""
	}
	var names []string
	for _, sub := range s.Subs {
		names = append(names, strings.ToUpper(sub.Name))
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}

// after returns what may follow when word is the value of one of args; nil when it fits none of
// them, or the last. Arguments that begin with a token may come in any order; the others only in
// their place.
func after(args []Arg, word string) []Arg {
	place := -1
	for i := range args {
		if a := &args[i]; a.leads() && a.takes(word) {
			place = i
			break
		} else if place < 0 && !a.leads() {
			place = i
		}
		if !args[i].Optional {
			break
		}
	}
	if place < 0 {
		return nil
	}
	rest := args[place].open(word)
	if args[place].leads() {
		for _, a := range args[:place] {
			if a.leads() {
				rest = append(rest, a)
			}
		}
	}
	return append(rest, args[place+1:]...)
}

// open returns the parts of the argument that follow its first word.
func (a *Arg) open(word string) []Arg {
	var rest []Arg
	switch {
	case a.Type == "pure-token":
	case a.Token != "":
		inner := *a
		inner.Token, inner.Optional, inner.Multiple, inner.more = "", false, a.Multiple && !a.MultipleToken, false
		rest = []Arg{inner}
	case a.Type == "block":
		rest = append(a.Args[0].open(word), a.Args[1:]...)
	case a.Type == "oneof":
		for i := range a.Args {
			if a.Args[i].takes(word) {
				rest = a.Args[i].open(word)
				break
			}
		}
	}
	if a.Multiple && (a.Token == "" || a.MultipleToken) {
		more := *a
		more.Optional, more.more = true, true
		rest = append(rest, more)
	}
	return rest
}

// takes reports whether the argument may begin with word.
func (a *Arg) takes(word string) bool {
	switch {
	case a.Token != "":
		return strings.EqualFold(a.Token, word)
	case a.Type == "oneof":
		return slices.ContainsFunc(a.Args, func(x Arg) bool { return x.takes(word) })
	case a.Type == "block":
		return a.Args[0].takes(word)
	}
	return true
}

// leads reports whether the argument begins with a token, so that its place does not matter.
func (a *Arg) leads() bool {
	return a.Token != "" || (a.Type == "oneof" || a.Type == "block") && a.Args[0].leads()
}
