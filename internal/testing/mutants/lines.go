package main

import (
	"bytes"
	"strings"
)

// lines cuts the lines of a file for identities and reports: without indentation and comments.
type lines struct {
	text     []byte
	comments map[int]int // offset of the first comment of a line, by the offset of the line
}

func newLines(s *source) *lines {
	l := &lines{s.text, map[int]int{}}
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			at := s.fset.Position(c.Pos()).Offset
			begin := l.begin(at)
			if first, ok := l.comments[begin]; (!ok || at < first) && strings.HasPrefix(c.Text, "//") {
				l.comments[begin] = at
			}
		}
	}
	return l
}

func (l *lines) begin(at int) int { return bytes.LastIndexByte(l.text[:at], '\n') + 1 }

// around returns the line of an edit: its number, its text, and its text after the edit.
func (l *lines) around(e edit) (number int, original, mutated string) {
	begin, end := l.begin(e.start), len(l.text)
	if i := bytes.IndexByte(l.text[e.start:], '\n'); i >= 0 {
		end = e.start + i
	}
	if at, ok := l.comments[begin]; ok && at > e.start {
		end = at
	}
	clean := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	before, after := string(l.text[begin:e.start]), string(l.text[e.end:end])
	number = bytes.Count(l.text[:begin], []byte("\n")) + 1
	return number, clean(before + string(l.text[e.start:e.end]) + after), clean(before + e.text + after)
}
