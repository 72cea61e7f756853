package bundle

import (
	"sort"
	"strings"
)

// Place is a place in a file that a person wrote.
type Place struct {
	File   string // one of Bundle.Files
	Line   int    // from 1
	Column int    // in bytes, from 1
	Offset int    // in bytes, from 0
}

// At returns from where the byte at an offset of the text comes. An offset behind the end, or
// below 0, counts as that end of the text.
func (b *Bundle) At(offset int) Place {
	if len(b.pieces) == 0 {
		return Place{File: b.Files[0], Line: 1, Column: 1}
	}
	offset = max(0, min(offset, len(b.Text)))
	p := b.pieceAt(offset)
	at := min(p.from+offset-p.at, len(b.texts[p.file])) // what is put between files has no place
	before := b.texts[p.file][:at]
	return Place{
		File: b.Files[p.file], Offset: at,
		Line: 1 + strings.Count(before, "\n"), Column: at - strings.LastIndexByte(before, '\n'),
	}
}

// FileAt returns the index in Files of the file from which the byte at an offset comes.
func (b *Bundle) FileAt(offset int) int {
	if len(b.pieces) == 0 {
		return 0
	}
	return b.pieceAt(max(0, min(offset, len(b.Text)))).file
}

// Part returns from where a part of the text comes: a file, as an index of Files, and the range
// there. It returns exact false if not all bytes stand side by side in that file; the range then
// is what the file has from the first byte on.
func (b *Bundle) Part(from, to int) (file, start, end int, exact bool) {
	first := b.At(from)
	file = b.FileAt(from)
	if to <= from || len(b.pieces) == 0 {
		return file, first.Offset, first.Offset, true
	}
	p, last := b.pieceAt(from), b.pieceAt(to-1)
	if p == last {
		return file, first.Offset, min(first.Offset+to-from, len(b.texts[file])), true
	}
	if last.file == file && last.from >= p.from {
		return file, first.Offset, min(last.from+to-last.at, len(b.texts[file])), false
	}
	return file, first.Offset, min(p.from+p.size, len(b.texts[file])), false
}

// pieceAt returns the piece with an offset of the text, which must not be empty.
func (b *Bundle) pieceAt(offset int) piece {
	return b.pieces[sort.Search(len(b.pieces), func(i int) bool { return b.pieces[i].at > offset })-1]
}

// Line returns from where the beginning of a line of the text comes. The first line is 1. A number
// that is too small or too large counts as the first or last line.
func (b *Bundle) Line(line int) Place { return b.At(b.lineStart(line)) }

func (b *Bundle) lineStart(line int) int {
	return b.lines[max(0, min(line, len(b.lines))-1)]
}

// Lines returns the number of lines of the text. What follows the last line break is one.
func (b *Bundle) Lines() int { return len(b.lines) }

// Run is a number of lines of the text that follow one another in a file, too. Lines count from 1.
type Run struct {
	File  string // one of Bundle.Files
	First int    // the first of them in the text
	Line  int    // the first of them in the file
	Count int
}

// Runs returns from where the lines of the text come, in their order. A line that has bytes of
// several files counts for the first of them.
func (b *Bundle) Runs() (runs []Run) {
	for n := 1; n <= len(b.lines); n++ {
		p := b.Line(n)
		if last := len(runs) - 1; last >= 0 && runs[last].File == p.File && runs[last].Line+runs[last].Count == p.Line {
			runs[last].Count++
		} else {
			runs = append(runs, Run{File: p.File, First: n, Line: p.Line, Count: 1})
		}
	}
	return runs
}

// FindLine returns the line of the text that comes from a line of a file, one of Bundle.Files, or
// from the first one after it that the text has. It returns false if there is none.
func (b *Bundle) FindLine(file string, line int) (int, bool) {
	best := Run{}
	for _, r := range b.Runs() {
		if r.File == file && r.Line+r.Count > line && (best.Count == 0 || r.Line < best.Line) {
			best = r
		}
	}
	return best.First + max(0, line-best.Line), best.Count > 0
}

// Texts returns the texts of Files. They must not be changed.
func (b *Bundle) Texts() []string { return b.texts }

// Joined reports whether files stand in front of the script that no include names.
func (b *Bundle) Joined() bool { return b.joined }

// Source returns the text of a file, one of Bundle.Files.
func (b *Bundle) Source(file string) string {
	for i, name := range b.Files {
		if name == file {
			return b.texts[i]
		}
	}
	return ""
}

// Near returns the offset in the text of the byte at an offset of a file, one of Bundle.Files, or
// if the text does not contain that byte, of what stands before it there.
func (b *Bundle) Near(file string, offset int) int {
	best, found := piece{}, false
	for _, p := range b.pieces {
		if b.Files[p.file] == file && p.from <= offset && (!found || p.from > best.from) {
			best, found = p, true
		}
	}
	return best.at + min(offset-best.from, best.size)
}

// Find returns the offset in the text of the byte at an offset of a file, one of Bundle.Files. It
// returns false if the text does not contain that byte.
func (b *Bundle) Find(file string, offset int) (int, bool) {
	for _, p := range b.pieces {
		if b.Files[p.file] == file && p.from <= offset && offset < p.from+p.size {
			return p.at + offset - p.from, true
		}
	}
	return 0, false
}

// Mapped returns the bundle of a text whose lines stand in one file, not necessarily byte for byte:
// in a string of a program, for example. at returns the offset in the file of an offset of the
// text.
func Mapped(path, file, text string, at func(offset int) int) *Bundle {
	b := &Bundle{Text: text, Files: []string{path}, texts: []string{file}, lines: lineStarts(text)}
	for i, from := range b.lines {
		to := len(text)
		if i+1 < len(b.lines) {
			to = b.lines[i+1]
		}
		if to > from {
			b.pieces = append(b.pieces, piece{at: from, file: 0, from: at(from), size: to - from})
		}
	}
	return b
}
