package lint

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// longestName is how many bytes of the description of a key are kept.
const longestName = 80

var spaces = regexp.MustCompile(`\s+`)

// HeaderNames returns what the comments of a script say about its keys and arguments: for KEYS and
// ARGV the description of each index. The forms are those of declaredCounts.
func HeaderNames(tree *luatree.Tree) map[string]map[int]string {
	names := map[string]map[int]string{"KEYS": {}, "ARGV": {}}
	current, list := "", ""
	flush := func() {
		if current != "" {
			addItems(names[current], list)
		}
		current, list = "", ""
	}
	for _, c := range tree.Comments {
		text := tree.Text(luatree.Range{From: c.From, To: min(c.To, len(tree.Source))})
		for line := range strings.SplitSeq(text, "\n") {
			addMention(names, line)
		}
		m := headerList.FindStringSubmatch(text)
		rest, continues := strings.CutPrefix(text, "--      ")
		switch {
		case m != nil:
			flush()
			current, list = m[1], m[2]
		case current != "" && continues:
			list += " " + strings.TrimSpace(rest)
		default:
			flush()
		}
	}
	flush()
	return names
}

// addMention reads a line such as "-- KEYS[1]: lock".
func addMention(names map[string]map[int]string, line string) {
	for _, m := range mentions(line) {
		if table := names[m.name]; m.index > 0 && table[m.index] == "" {
			table[m.index] = tidy(strings.Trim(m.text, " \t:=-–—.,#*]"))
		}
	}
}

// addItems reads a list such as "1 lock  2 state".
func addItems(names map[int]string, text string) {
	n := 0
	var words []string
	done := func() {
		if n > 0 {
			names[n] = tidy(strings.Join(words, " "))
		}
		words = nil
	}
	for _, word := range strings.Fields(text) {
		if i, err := strconv.Atoi(strings.TrimRight(word, ":.,")); err == nil && i == n+1 {
			done()
			n = i
			continue
		}
		words = append(words, word)
	}
	done()
}

// tidy returns a description on one line, not too long.
func tidy(text string) string {
	text, _, _ = strings.Cut(spaces.ReplaceAllString(text, " "), ";")
	text = strings.TrimSpace(text)
	if len(text) > longestName {
		cut := strings.ToValidUTF8(text[:longestName], "")
		text = cut + "…"
	}
	return text
}
