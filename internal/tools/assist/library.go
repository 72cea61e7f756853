package assist

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed library.txt
var libraryText string

// entry is a function or another value that scripts find in Lua.
type entry struct {
	name    string   // such as "redis.call"
	params  []string // of a function
	isFunc  bool
	results string // what a function returns; "": nothing
	text    string
}

// library holds the entries by name. Invariant: it covers all that scripts can reach; a test asks
// an engine.
var library = sync.OnceValue(func() map[string]*entry {
	m := map[string]*entry{}
	for line := range strings.Lines(libraryText) {
		e := readEntry(strings.TrimSpace(line))
		m[e.name] = e
	}
	return m
})

// libraryOrder holds the names in the order of library.txt.
var libraryOrder = sync.OnceValue(func() (names []string) {
	for line := range strings.Lines(libraryText) {
		names = append(names, readEntry(strings.TrimSpace(line)).name)
	}
	return names
})

// readEntry reads a line: name(parameters) -> results: text.
func readEntry(line string) *entry {
	head, text, _ := strings.Cut(line, ": ")
	e := &entry{text: text}
	head, e.results, _ = strings.Cut(head, " -> ")
	name, params, isFunc := strings.Cut(head, "(")
	e.name, e.isFunc = name, isFunc
	if params = strings.TrimSuffix(params, ")"); params != "" {
		e.params = strings.Split(params, ", ")
	}
	return e
}

// label returns the entry as a declaration.
func (e *entry) label() string {
	if !e.isFunc {
		return e.name
	}
	s := e.name + "(" + strings.Join(e.params, ", ") + ")"
	if e.results != "" {
		s += " -> " + e.results
	}
	return s
}

// fields returns the entries of a library, without its name, in order.
func fields(of string) (list []*entry) {
	for _, name := range libraryOrder() {
		if strings.HasPrefix(name, of+".") {
			list = append(list, library()[name])
		}
	}
	return list
}

// keywords are the reserved words of Lua.
var keywords = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

// isName reports whether a text is a name that variables can have.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !slices.Contains(keywords, s)
}
