package quoting

import "strings"

// Word returns s as a word of a command line for people: in quotes, as [Append] writes them, if it
// is empty or has other than plain characters. [Words] reads it back.
func Word(s string) string {
	if plain(s) {
		return s
	}
	return string(Append(nil, s))
}

// Line returns words as a command line for people, each as [Word] returns it.
func Line(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = Word(word)
	}
	return strings.Join(list, " ")
}

// plain reports whether s is clear without quotes.
func plain(s string) bool {
	special := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' || r == '\\' }
	return s != "" && !strings.ContainsFunc(s, special)
}
