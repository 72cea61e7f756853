package bundle

import (
	"regexp"
	"strings"
	"unicode"
)

// include finds includes. As in BullMQ, blank lines behind one belong to it.
var include = regexp.MustCompile(`(?m)^--{1,2}[ \t]*@include[ \t]+(?:"(.+?)"|'(.+?)')[; \t\n]*\r?$`)

// includeName returns the name of an include, which matched at m.
func includeName(text string, m []int) string {
	if m[2] >= 0 {
		return text[m[2]:m[3]]
	}
	return text[m[4]:m[5]]
}

// emptyLines returns the number of bytes of the blank lines at the beginning of a text, which ends
// with a line break if there are any.
func emptyLines(text string) int {
	for i, c := range text {
		if !isSpace(c) {
			return strings.LastIndexAny(text[:i], "\r\n") + 1
		}
	}
	return strings.LastIndexAny(text, "\r\n") + 1
}

// isSpace reports whether JavaScript counts a character as white space in \s.
func isSpace(c rune) bool {
	return c == '\ufeff' || c != '\u0085' && unicode.IsSpace(c)
}

// lineStarts returns where the lines of a text begin.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
