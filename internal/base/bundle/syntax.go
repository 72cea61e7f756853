package bundle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// include finds includes. As in BullMQ, blank lines behind one belong to it.
var include = regexp.MustCompile(`(?m)^--{1,2}[ \t]*@include[ \t]+(?:"(.+?)"|'(.+?)')[; \t\n]*\r?$`)

var includeComment = regexp.MustCompile(`^--{1,2}[ \t]*@include\b`)

// MeansInclude reports whether a comment is an include if it begins its line.
func MeansInclude(comment string) bool { return includeComment.MatchString(comment) }

// partial finds partials of ERB.
var partial = regexp.MustCompile(`<%=\s*include_partial(?:\s+|\s*\(\s*)(?:"([^"\n]+)"|'([^'\n]+)')\s*\)?\s*%>`)

// mention is a place at which a text names files that are put there.
type mention struct {
	from, to int
	name     string
	erb      bool
}

// includesOf returns the includes and partials of a text, in their order.
func includesOf(text string) []mention {
	var list []mention
	add := func(found [][]int, erb bool) {
		for _, m := range found {
			name := max(m[2], m[4])
			list = append(list, mention{m[0], m[1], text[name:max(m[3], m[5])], erb})
		}
	}
	if strings.Contains(text, "@include") {
		add(include.FindAllStringSubmatchIndex(text, -1), false)
	}
	if strings.Contains(text, "include_partial") {
		add(partial.FindAllStringSubmatchIndex(text, -1), true)
		slices.SortFunc(list, func(a, b mention) int { return a.from - b.from })
	}
	return list
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
