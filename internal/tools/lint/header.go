package lint

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	headerList  = regexp.MustCompile(`^--+\s*(KEYS|ARGV)\s{2,}(\S.*)$`)
	headerIndex = regexp.MustCompile(`^[\s\-*#\[=@]*(?:param\s+|local\s+)?(KEYS?|ARGV)\s*\[\s*(\d+)\s*\](.*)$`)
	headerNext  = regexp.MustCompile(`[,;/]\s*(?:and\s+)?(KEYS?|ARGV)\s*\[\s*(\d+)\s*\]`)
	headerOpen  = regexp.MustCompile(`\.\.\.|…|\b(then|those|each|last one|and so on|onwards|etc)\b|\[\s*[^\]\d]`)
)

// header counts the keys and arguments that the comments of a script name.
type header struct {
	counts map[string]int  // the greatest index, by KEYS and ARGV
	open   map[string]bool // there may be more
	listed map[string]bool // named by a list, which counts more than single mentions
}

// declaredCounts returns how many keys and arguments the comments of a script name. Tables whose
// number they leave open are not in the result. There are two forms:
//
//	--   KEYS    1 lock  2 state, the
//	--           token included  3 queue
//	-- KEYS[1]: lock
func (p *pass) declaredCounts() map[string]int {
	h := header{map[string]int{}, map[string]bool{}, map[string]bool{}}
	current := ""
	for _, c := range p.tree.Comments {
		if p.files.FileAt(c.From) > 0 || p.files.Joined() || p.script.Part {
			continue // the whole script has other keys than the file that the comment is about
		}
		text := p.tree.Text(c.Range)
		for line := range strings.SplitSeq(text, "\n") {
			h.mention(line)
		}
		m := headerList.FindStringSubmatch(text)
		rest, continues := strings.CutPrefix(text, "--      ")
		switch {
		case m != nil:
			current = m[1]
			h.listed[current], h.counts[current] = true, 0
			h.list(current, m[2])
		case current != "" && continues:
			h.list(current, rest)
		default:
			current = ""
		}
	}
	for name := range h.open {
		delete(h.counts, name)
	}
	return h.counts
}

// list reads a line of a list such as "1 lock  2 state".
func (h *header) list(name, text string) {
	h.counts[name] = countItems(text, h.counts[name])
	if headerOpen.MatchString(text) || h.counts[name] == 0 {
		h.open[name] = true
	}
}

// mention reads a line that begins with a single key or argument.
func (h *header) mention(line string) {
	for _, m := range mentions(line) {
		if !h.listed[m.name] {
			h.counts[m.name] = max(h.counts[m.name], m.index)
		}
		if headerOpen.MatchString(m.text) {
			h.open[m.name] = true
		}
	}
}

// mention is a key or an argument that a comment names, with what it says about it.
type mention struct {
	name  string // KEYS or ARGV
	index int
	text  string
}

// mentions returns the keys and arguments of a line such as "-- KEYS[1]: users, KEYS[2]: packets",
// which begins with one.
func mentions(line string) (list []mention) {
	m := headerIndex.FindStringSubmatch(line)
	for m != nil {
		found := mention{name: m[1], text: m[3]}
		if found.name == "KEY" {
			found.name = "KEYS"
		}
		found.index, _ = strconv.Atoi(m[2])
		next := headerNext.FindStringSubmatchIndex(found.text)
		m = nil
		if next != nil {
			rest := found.text
			m = []string{"", rest[next[2]:next[3]], rest[next[4]:next[5]], rest[next[1]:]}
			found.text = rest[:next[0]]
		}
		list = append(list, found)
	}
	return list
}

// countItems returns the last number of a list such as "1 lock  2 state", whose numbers rise by one
// from n.
func countItems(text string, n int) int {
	for _, word := range strings.Fields(text) {
		if i, err := strconv.Atoi(strings.TrimRight(word, ":.,")); err == nil && i == n+1 {
			n = i
		}
	}
	return n
}
