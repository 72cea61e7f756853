package command

import (
	"slices"
	"strings"
)

// Names returns the names of all commands that clients may send, sorted; a subcommand stands
// behind its parent with a space: "config get".
func (t *Table) Names() []string {
	var out []string
	for _, s := range t.visible() {
		out = append(out, s.Name)
		for _, sub := range s.visibleSubs() {
			out = append(out, s.Name+" "+sub.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Hint returns the arguments that may still follow what has been typed: "value [NX|XX] [GET] ..." after
// "set", "key". It is empty for an unknown command and when nothing may follow.
func (t *Table) Hint(typed ...string) string {
	if len(typed) == 0 {
		return ""
	}
	s := t.Resolve(typed)
	if s == nil || !s.visible() {
		return ""
	}
	typed = typed[1:]
	if s.Parent != nil {
		typed = typed[1:]
	} else if len(s.Subs) > 0 {
		return subcommandHint(s, typed)
	}
	rest := remaining(s.Arguments(), typed)
	texts := make([]string, len(rest))
	for i := range rest {
		texts[i] = rest[i].text()
	}
	return strings.Join(texts, " ")
}

func subcommandHint(s *Spec, typed []string) string {
	if len(typed) > 0 {
		return ""
	}
	var names []string
	for _, sub := range s.visibleSubs() {
		names = append(names, strings.ToUpper(sub.Name))
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}

// remaining drops the arguments that the typed words have filled. Arguments that begin with a token may
// come in any order; the others stand in their place.
func remaining(args []Arg, typed []string) []Arg {
	args = slices.Clone(args)
	for len(typed) > 0 && len(args) > 0 {
		i, n := match(args, typed)
		if i < 0 {
			return nil
		}
		typed = typed[min(n, len(typed)):]
		if args[i].Multiple {
			args[i].Optional = true
			if len(typed) > 0 && !laterToken(args[i+1:], typed[0]) {
				continue // once more
			}
			if args[i].Type != "pure-token" && len(typed) == 0 {
				return args[i:]
			}
		}
		if args[i].Optional && args[i].leads() {
			args = slices.Delete(args, i, i+1)
		} else {
			args = args[i+1:]
		}
	}
	return args
}

// match finds the argument that the next word belongs to, and how many words it takes.
func match(args []Arg, typed []string) (place, words int) {
	for i := range args {
		a := &args[i]
		if n := a.takes(typed[0]); n > 0 {
			return i, n
		}
		if !a.Optional {
			break
		}
	}
	return -1, 0
}

// takes is the number of words the argument takes when it may begin with word, else 0.
func (a *Arg) takes(word string) int {
	if a.Token != "" {
		if !strings.EqualFold(a.Token, word) {
			return 0
		}
		if a.Type == "pure-token" {
			return 1
		}
		return 1 + a.words()
	}
	if a.Type == "oneof" {
		for i := range a.Args {
			if n := a.Args[i].takes(word); n > 0 {
				return n
			}
		}
		return 0
	}
	return a.words()
}

// words is the number of words of the argument itself, its token apart.
func (a *Arg) words() int {
	if a.Type != "block" {
		return 1
	}
	n := 0
	for i := range a.Args {
		if !a.Args[i].Optional {
			n += a.Args[i].words()
			if a.Args[i].Token != "" && a.Args[i].Type != "pure-token" {
				n++
			}
		}
	}
	return n
}

// leads reports whether the argument is known by a word, so that its place does not matter.
func (a *Arg) leads() bool {
	return a.Token != "" || a.Type == "oneof" && a.Args[0].leads()
}

func laterToken(args []Arg, word string) bool {
	for i := range args {
		if args[i].leads() && args[i].takes(word) > 0 {
			return true
		}
	}
	return false
}
