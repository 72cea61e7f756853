package lsp

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// position is a place in a document, as the protocol counts: from 0. character counts UTF-16 code
// units, or bytes if that was agreed upon.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// span is a range in a document. End is exclusive.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// textIndex converts between positions and offsets in bytes.
type textIndex struct {
	text  string
	lines []int // offsets at which lines begin
	utf8  bool  // characters are bytes

	once  sync.Once
	marks []mark // one for each block of the text
}

// mark is a character of the text, the first that begins in a block.
type mark struct{ offset, units int } // units: of the text before

// blockSize is how many bytes of the text lie between two marks. So the place of a character in a
// long line is found without its whole line.
const blockSize = 512

// newIndex returns the index of a text. As in the protocol, "\n", "\r\n" and "\r" end a line.
func newIndex(text string, utf8 bool) *textIndex {
	x := &textIndex{text: text, lines: []int{0}, utf8: utf8}
	if strings.IndexByte(text, '\r') < 0 {
		for at := 0; ; {
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				return x
			}
			at += n + 1
			x.lines = append(x.lines, at)
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			x.lines = append(x.lines, i+1)
		}
	}
	return x
}

// lineEnd returns the end of a line, before its line break.
func (x *textIndex) lineEnd(line int) int {
	end := len(x.text)
	if line+1 < len(x.lines) {
		end = x.lines[line+1]
	}
	return x.lines[line] + len(strings.TrimRight(x.text[x.lines[line]:end], "\r\n"))
}

// offset returns the offset of a position. A position behind the end of its line, or of the text,
// is that end; one inside a character is the beginning of the character.
func (x *textIndex) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(x.lines):
		return len(x.text)
	}
	at, end := x.lines[p.Line], x.lineEnd(p.Line)
	for left := p.Character; at < end && left > 0; {
		r, n := utf8.DecodeRuneInString(x.text[at:end])
		if left -= x.units(r, n); left < 0 {
			break
		}
		at += n
	}
	return at
}

// units returns how many characters of the protocol a rune of n bytes has.
func (x *textIndex) units(r rune, n int) int {
	switch {
	case x.utf8:
		return n
	case r > 0xffff:
		return 2
	}
	return 1
}

// line returns the line of an offset, from 0.
func (x *textIndex) line(offset int) int { return sort.SearchInts(x.lines, offset+1) - 1 }

// position returns the position of an offset.
func (x *textIndex) position(offset int) position {
	offset = min(max(offset, 0), len(x.text))
	line := x.line(offset)
	if x.utf8 {
		return position{line, offset - x.lines[line]}
	}
	if begin := x.lines[line]; offset-begin < blockSize {
		return position{line, x.count(begin, offset)}
	}
	return position{line, x.before(offset) - x.before(x.lines[line])}
}

// count returns the units of the characters that begin from at up to an offset.
func (x *textIndex) count(at, offset int) (units int) {
	for at < offset {
		r, n := utf8.DecodeRuneInString(x.text[at:])
		units += x.units(r, n)
		at += n
	}
	return units
}

// before returns the units of the text before an offset.
func (x *textIndex) before(offset int) int {
	x.once.Do(func() {
		for at, units := 0, 0; at < len(x.text); {
			if at >= len(x.marks)*blockSize {
				x.marks = append(x.marks, mark{at, units})
			}
			r, n := utf8.DecodeRuneInString(x.text[at:])
			units += x.units(r, n)
			at += n
		}
	})
	if len(x.marks) == 0 {
		return 0
	}
	m := x.marks[min(offset/blockSize, len(x.marks)-1)]
	if m.offset > offset { // the block begins inside a character
		m = x.marks[offset/blockSize-1]
	}
	return m.units + x.count(m.offset, offset)
}

// span returns the range between two offsets.
func (x *textIndex) span(from, to int) span { return span{x.position(from), x.position(to)} }

// change is an edit of a client. Without a range it replaces the whole text.
type change struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

// apply makes changes one after the other and returns the text.
func apply(text string, changes []change, utf8 bool) string {
	for _, c := range changes {
		if c.Range == nil {
			text = c.Text
			continue
		}
		x := newIndex(text, utf8)
		from := x.offset(c.Range.Start)
		to := max(from, x.offset(c.Range.End))
		text = text[:from] + c.Text + text[to:]
	}
	return text
}
