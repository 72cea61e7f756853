package main

import (
	"regexp"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/repo"
)

// paragraph is a run of lines that may be wrapped in another way.
type paragraph struct {
	first string // what stands before the text of the first line, such as "- "
	rest  string // what stands before the text of the others
	lines []string
}

// long reports whether a line is longer than max, with margin characters before it.
func (p *paragraph) long(margin, max int) bool {
	for i, l := range p.lines {
		lead := p.rest
		if i == 0 {
			lead = p.first
		}
		if margin+repo.Width(lead)+repo.Width(l) > max {
			return true
		}
	}
	return false
}

// wrap returns the lines of the paragraph, leads included, none longer than max where a blank
// allows it.
func (p *paragraph) wrap(margin, max int) []string {
	var lines []string
	line := p.first
	empty := true
	for _, w := range units(strings.Fields(strings.Join(p.lines, " "))) {
		if !empty && margin+repo.Width(line)+1+repo.Width(w) > max {
			lines, line, empty = append(lines, line), p.rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+w, false
	}
	return append(lines, line)
}

// marker is a word that would change the meaning of a line which begins with it.
var marker = regexp.MustCompile(`^([-*+>|#]+|\d+[.)]|#.*|\|.*|!\w+)$`)

// units joins the words that must stay on one line: a marker with the word before it, and the words
// of a link's text with its target.
func units(words []string) []string {
	var list []string
	for _, w := range words {
		if n := len(list); n > 0 && marker.MatchString(w) {
			list[n-1] += " " + w
			continue
		}
		list = append(list, w)
	}
	return list
}

var item = regexp.MustCompile(`^(\s*)([-*•]|\d+[.)])(\s+)`)

// itemLead returns what begins the first line of a list item and what its other lines are indented
// by; "" if the line begins no item.
func itemLead(line string) (first, rest string) {
	m := item.FindString(line)
	return m, strings.Repeat(" ", len(m))
}
