package textdiff

import (
	"fmt"
	"strings"
)

// Hunk is a place at which two texts differ: the lines [From, To) of the first are the lines
// [NewFrom, NewTo) of the second. Lines count from 0.
type Hunk struct{ From, To, NewFrom, NewTo int }

// Lines cuts a text into lines with their line breaks. Only "\n" ends a line.
func Lines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// maxEdits limits the search for a shortest list of differences. Texts that differ more become one
// hunk.
const maxEdits = 1000

// Hunks returns the differences of two lists of lines, in order. They do not touch one another.
func Hunks(a, b []string) []Hunk {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	if len(x)+len(y) == 0 {
		return nil
	}
	list, ok := shortest(x, y)
	if !ok {
		list = []Hunk{{0, len(x), 0, len(y)}}
	}
	for i := range list {
		h := &list[i]
		h.From, h.To, h.NewFrom, h.NewTo = h.From+start, h.To+start, h.NewFrom+start, h.NewTo+start
	}
	return list
}

// shortest finds the differences by Myers' algorithm: for each number of edits d, how far one gets
// on each diagonal k.
func shortest(a, b []string) (list []Hunk, ok bool) {
	limit := min(len(a)+len(b), maxEdits)
	far := make([]int, 2*limit+2)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), far[limit-d:limit+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := step(far, limit, d, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			far[limit+k] = x
			if x >= len(a) && x-k >= len(b) {
				return hunksOf(trace, d, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// step returns how far edit number d gets on a diagonal, before equal lines.
func step(far []int, middle, d, k int) int {
	switch {
	case d == 0:
		return 0
	case k == -d || k != d && far[middle+k-1] < far[middle+k+1]:
		return far[middle+k+1] // a line of b is added
	}
	return far[middle+k-1] + 1 // a line of a is removed
}

// hunksOf walks the edits back from the ends of both texts.
func hunksOf(trace [][]int, d, x, y int) []Hunk {
	var list []Hunk // in reverse
	for ; d > 0; d-- {
		row := trace[d] // before edit d; row[d] is diagonal 0
		k := x - y
		fromX, fromY := 0, 0
		if k == -d || k != d && row[d+k-1] < row[d+k+1] {
			fromX = row[d+k+1]
			fromY = fromX - (k + 1)
		} else {
			fromX = row[d+k-1]
			fromY = fromX - (k - 1)
		}
		h := Hunk{fromX, fromX, fromY, fromY + 1}
		if fromX-fromY == k-1 {
			h = Hunk{fromX, fromX + 1, fromY, fromY}
		}
		if n := len(list); n > 0 && list[n-1].From == h.To && list[n-1].NewFrom == h.NewTo {
			list[n-1].From, list[n-1].NewFrom = h.From, h.NewFrom
		} else {
			list = append(list, h)
		}
		x, y = fromX, fromY
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// around is how many equal lines stand around a difference.
const around = 3

// Unified returns the differences of two texts as diff -u prints them, or "" if there are none.
func Unified(nameA, nameB, a, b string) string {
	x, y := Lines(a), Lines(b)
	hunks := Hunks(x, y)
	if len(hunks) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].From-hunks[n-1].To <= 2*around {
			n++
		}
		printHunks(&out, x, y, hunks[:n])
		hunks = hunks[n:]
	}
	return out.String()
}

// printHunks prints hunks that are near each other.
func printHunks(out *strings.Builder, a, b []string, hunks []Hunk) {
	first, last := hunks[0], hunks[len(hunks)-1]
	before, after := min(around, first.From), min(around, len(a)-last.To)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(first.From-before, last.To+after), span(first.NewFrom-before, last.NewTo+after))
	at := first.From - before
	for _, h := range hunks {
		printLines(out, ' ', a[at:h.From])
		printLines(out, '-', a[h.From:h.To])
		printLines(out, '+', b[h.NewFrom:h.NewTo])
		at = h.To
	}
	printLines(out, ' ', a[at:last.To+after])
}

// span returns the first line and the number of lines, as diff does.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func printLines(out *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(sign)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
