package luavalue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// DiffLine is a line of a difference.
type DiffLine struct {
	Mark byte // '-' expected only, '+' found only, ' ' both, '.' lines are left out
	Text string
}

// String returns the line with its mark.
func (l DiffLine) String() string {
	if l.Mark == '.' {
		return "  " + l.Text
	}
	return string(l.Mark) + " " + l.Text
}

// Lines around a difference that are shown, and the number of lines on both sides together up to
// which the shortest difference is looked for.
const (
	context       = 3
	comparedLines = 4000
)

// Diff returns the lines in which two values differ, with some lines around them: a line for each
// element of tables, and for each line of texts of several lines.
func Diff(expected, found luabridge.Value) []DiffLine {
	if a, b := expected.Text(), found.Text(); expected.Kind() == luabridge.StringKind && found.Kind() == luabridge.StringKind &&
		(strings.Contains(a, "\n") || strings.Contains(b, "\n")) && printable(a) && printable(b) {
		return DiffLines(strings.Split(a, "\n"), strings.Split(b, "\n"))
	}
	return DiffLines(Lines(expected), Lines(found))
}

// printable reports whether a text can be shown without quotes.
func printable(text string) bool {
	return !strings.Contains(Quote(strings.NewReplacer("\n", "", `\`, "", `"`, "").Replace(text)), `\`)
}

// DiffLines returns the lines in which two texts differ, with some lines around them. It returns
// nil if they are equal.
func DiffLines(a, b []string) []DiffLine {
	if slices.Equal(a, b) {
		return nil
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []DiffLine
	for _, text := range a[:head] {
		lines = append(lines, DiffLine{' ', text})
	}
	lines = append(lines, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, text := range a[len(a)-tail:] {
		lines = append(lines, DiffLine{' ', text})
	}
	return shorten(lines)
}

// middle is the difference of texts that begin and end differently.
func middle(a, b []string) (lines []DiffLine) {
	if len(a)+len(b) > comparedLines {
		for _, text := range a {
			lines = append(lines, DiffLine{'-', text})
		}
		for _, text := range b {
			lines = append(lines, DiffLine{'+', text})
		}
		return lines
	}
	common := make([][]int16, len(a)+1) // length of the longest common part of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, DiffLine{' ', a[i]})
			i++
			j++
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			lines = append(lines, DiffLine{'-', a[i]})
			i++
		default:
			lines = append(lines, DiffLine{'+', b[j]})
			j++
		}
	}
	return lines
}

// shownLines is the largest number of lines of a difference that are shown.
const shownLines = 200

// shorten leaves out lines that are far from any difference.
func shorten(lines []DiffLine) (short []DiffLine) {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Mark != ' ' {
			for k := max(0, i-context); k <= min(len(lines)-1, i+context); k++ {
				near[k] = true
			}
		}
	}
	left := 0
	flush := func() {
		if left > 0 {
			short = append(short, DiffLine{'.', fmt.Sprintf("… %d lines", left)})
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
