package textdiff

import "fmt"

// Line is a line of a difference.
type Line struct {
	Mark byte // '-' first text only, '+' second only, ' ' both, '.' lines are left out
	Text string
}

// String returns the line with its mark.
func (l Line) String() string {
	if l.Mark == '.' {
		return "  " + l.Text
	}
	return string(l.Mark) + " " + l.Text
}

// Near returns the lines in which two texts differ, with some lines around them; nil if they are
// equal. It is for people who look at one difference: it says how many lines are left out, and cuts
// a long difference.
func Near(a, b []string) []Line {
	hunks := Hunks(a, b)
	if len(hunks) == 0 {
		return nil
	}
	var lines []Line
	add := func(mark byte, texts []string) {
		for _, text := range texts {
			lines = append(lines, Line{mark, text})
		}
	}
	at := 0
	for _, h := range hunks {
		add(' ', a[at:h.From])
		add('-', a[h.From:h.To])
		add('+', b[h.NewFrom:h.NewTo])
		at = h.To
	}
	add(' ', a[at:])
	return shorten(lines)
}

// shownLines is the largest number of lines of a difference that are shown.
const shownLines = 200

// shorten leaves out lines that are far from any difference.
func shorten(lines []Line) (short []Line) {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Mark != ' ' {
			for k := max(0, i-around); k <= min(len(lines)-1, i+around); k++ {
				near[k] = true
			}
		}
	}
	left := 0
	flush := func() {
		if left > 0 {
			short = append(short, Line{'.', fmt.Sprintf("… %d lines", left)})
		}
		left = 0
	}
	for i, l := range lines {
		if !near[i] || len(short) >= shownLines {
			left++
			continue
		}
		flush()
		short = append(short, l)
	}
	flush()
	return short
}
