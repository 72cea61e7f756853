package inspectfile

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Style says how text looks.
type Style struct {
	Width  int  // columns of the terminal; 0 does not cut lines
	Colour bool // headings are bold, damage is red
}

// screen writes sections for people. The first error is kept.
type screen struct {
	w      io.Writer
	style  Style
	err    error
	begun  bool
	record *pageRecorder // gets the tables too, if not nil
}

func (s *screen) line(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format+"\n", args...)
	}
}

// heading begins a section.
func (s *screen) heading(text string) {
	if s.begun {
		s.line("")
	}
	s.begun = true
	if s.record != nil {
		s.record.heading = text
	}
	s.line("%s", s.paint("1", text))
}

func (s *screen) paint(code, text string) string {
	if !s.style.Colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// table prints rows below their titles. A title that begins with > aligns its column to the right;
// the last column is cut where the terminal ends.
func (s *screen) table(titles []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if s.record != nil {
		s.record.table(titles, rows)
	}
	right := make([]bool, len(titles))
	head := make([]string, len(titles))
	for i, t := range titles {
		head[i], right[i] = strings.CutPrefix(t, ">")
	}
	widths := make([]int, len(titles))
	all := append([][]string{head}, rows...)
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range all {
		var b strings.Builder
		used := 0
		for i, cell := range row {
			b.WriteString("  ")
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			last := i == len(row)-1
			switch {
			case right[i]:
				b.WriteString(pad + cell)
			case last:
				b.WriteString(cut(cell, s.style.Width-used-2, s.style.Width))
			default:
				b.WriteString(cell + pad)
			}
			used += 2 + widths[i]
		}
		s.line("%s", b.String())
	}
}

// cut shortens text to room characters, unless width is 0. At least eight stay.
func cut(text string, room, width int) string {
	room = max(room, 8)
	if width == 0 || utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-1]) + "…"
}

// humanBytes returns a number of bytes in the largest fitting unit.
func humanBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1024, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB", "PiB"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, next
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}
