package lint

import (
	"errors"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// matcher compares the arguments of a call with the syntax of its command. An argument that is not
// a constant matches everything.
type matcher struct {
	words []string
	open  bool
	far   int // the first argument that no attempt got past
	steps int // attempts that are left
	keys  int // how many keys there are by the argument that says so, or 0
}

// matchSteps limits the attempts for one call. A call that needs more counts as correct.
const matchSteps = 20000

// fitsSyntax reports whether words fit a syntax. If not, at is the place of the first word that
// does not fit, or len(words) if words are missing.
func fitsSyntax(syntax []cmdtable.Arg, words []string, open bool) (at int, ok bool) {
	steps := matchSteps
	return fitsWithin(&steps, syntax, words, open)
}

// fitsWithin is fitsSyntax with a limit of its own, from which it takes the attempts.
func fitsWithin(steps *int, syntax []cmdtable.Arg, words []string, open bool) (at int, ok bool) {
	most := min(matchSteps, *steps)
	m := &matcher{words: words, open: open, steps: most}
	defer func() { *steps -= most - max(m.steps, 0) }()
	ok = m.sequence(syntax, 0, func(i int) bool { return i == len(words) })
	return m.far, ok || repeats(words, tokens(syntax, map[string]bool{}))
}

// repeats reports whether a keyword of a syntax occurs twice, which most commands accept.
func repeats(words []string, tokens map[string]bool) bool {
	seen := map[string]bool{}
	for _, w := range words {
		if w = strings.ToUpper(w); tokens[w] && seen[w] {
			return true
		}
		seen[w] = true
	}
	return false
}

// tokens adds the keywords of a syntax to a set, in upper case.
func tokens(syntax []cmdtable.Arg, set map[string]bool) map[string]bool {
	for i := range syntax {
		if syntax[i].Token != "" {
			set[strings.ToUpper(syntax[i].Token)] = true
		}
		tokens(syntax[i].Args, set)
	}
	return set
}

// sequence matches arguments in order from place i on. Optional ones that follow each other may
// come in any order. rest matches what follows.
func (m *matcher) sequence(list []cmdtable.Arg, i int, rest func(int) bool) bool {
	if m.steps--; m.steps < 0 || m.open && i >= len(m.words) {
		return true
	}
	m.far = max(m.far, i)
	if len(list) == 0 {
		return rest(i)
	}
	if n, ok := m.count(list, i); ok {
		j := i + 1 + n
		if n < 0 || n == 0 && !list[1].Optional || j > len(m.words) && !m.open {
			return false
		}
		m.keys = n
		return m.sequence(list[2:], j, rest)
	}
	if !list[0].Optional {
		return m.one(&list[0], i, func(j int) bool { return m.sequence(list[1:], j, rest) })
	}
	n := 0
	for n < len(list) && list[n].Optional {
		n++
	}
	for k := range n {
		var others []cmdtable.Arg
		if m.one(&list[k], i, func(j int) bool {
			if others == nil {
				others = append(append(make([]cmdtable.Arg, 0, len(list)), list[:k]...), list[k+1:]...)
			}
			return m.sequence(others, j, rest)
		}) {
			return true
		}
	}
	return m.sequence(list[n:], i, rest)
}

// count returns the number at place i if it says how often the argument behind it is repeated.
func (m *matcher) count(list []cmdtable.Arg, i int) (n int, ok bool) {
	if len(list) < 2 || list[0].Type != "integer" || !strings.HasPrefix(list[0].Name, "num") || !list[1].Multiple || i >= len(m.words) {
		return 0, false
	}
	n, err := strconv.Atoi(m.words[i])
	return n, err == nil && n < 1<<30
}

// one matches one argument, with its keyword and repetitions.
func (m *matcher) one(a *cmdtable.Arg, i int, rest func(int) bool) bool {
	if m.steps--; m.steps < 0 {
		return true
	}
	m.far = max(m.far, i)
	if i >= len(m.words) {
		return m.open
	}
	if a.Token != "" && a.Type != "pure-token" {
		if !m.is(i, a.Token) {
			return false
		}
		i++
		if a.Token == "WEIGHTS" && m.keys > 0 {
			return m.weights(i, rest)
		}
	}
	return m.value(a, i, func(j int) bool {
		if rest(j) {
			return true
		}
		if !a.Multiple || j <= i || j >= len(m.words) {
			return false
		}
		again := *a
		if !a.MultipleToken {
			again.Token = ""
			if a.Type == "pure-token" {
				return false
			}
		}
		return m.one(&again, j, rest)
	})
}

// weights matches a number for each key.
func (m *matcher) weights(i int, rest func(int) bool) bool {
	for j := range m.keys {
		m.far = max(m.far, i+j)
		if i+j >= len(m.words) {
			return m.open
		}
		if !isFloat(m.words[i+j]) {
			return false
		}
	}
	return rest(i + m.keys)
}

// value matches one argument without its keyword.
func (m *matcher) value(a *cmdtable.Arg, i int, rest func(int) bool) bool {
	m.far = max(m.far, i)
	switch a.Type {
	case "oneof":
		for k := range a.Args {
			if m.one(&a.Args[k], i, rest) {
				return true
			}
		}
		return false
	case "block":
		return m.sequence(a.Args, i, rest)
	}
	if i >= len(m.words) {
		return m.open
	}
	if a.Type == "pure-token" && !m.is(i, a.Token) {
		return false
	}
	if a.Type == "integer" && !isInteger(m.words[i]) || a.Type == "double" && !isFloat(m.words[i]) {
		return false
	}
	return rest(i + 1)
}

// is reports whether a word may be a keyword.
func (m *matcher) is(i int, token string) bool {
	if i >= len(m.words) {
		return m.open
	}
	return m.words[i] == unknownWord || strings.EqualFold(m.words[i], token)
}

// isInteger reports whether a word may be an integer for Redis, or an offset such as #20.
func isInteger(w string) bool {
	return w == unknownWord || strings.HasPrefix(w, "#") || strings.Trim(w, "+-0123456789") == ""
}

// isFloat reports whether a word may be a float for Redis, which also reads hexadecimal ones, or a
// bound such as (1.5.
func isFloat(w string) bool {
	w = strings.TrimSpace(strings.TrimPrefix(w, "("))
	if w == unknownWord || w == "" || strings.HasPrefix(strings.ToLower(strings.TrimLeft(w, "+-")), "0x") {
		return true
	}
	_, err := strconv.ParseFloat(w, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
