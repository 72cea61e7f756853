package command

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// maxLCSCells bounds the table of LCS, 4 bytes a cell, where Redis asks the allocator.
const maxLCSCells = 1 << 30

type lcsOptions struct {
	length, index, withLen bool
	minLen                 int64
}

func lcs(c *Ctx) reply.Value {
	var text [2]string
	wrong := false
	for i := range text {
		s, err := c.readString(c.Args[1+i])
		wrong = wrong || err != nil
		if s != nil {
			text[i] = s.Text()
		}
	}
	if wrong {
		return reply.Err("ERR The specified keys must contain string values")
	}
	o, bad, ok := parseLCS(c.Args[3:])
	if !ok {
		return bad
	}
	a, b := text[0], text[1]
	if (len(a) + 1) > maxLCSCells/(len(b)+1) {
		return reply.Err("ERR Insufficient memory, failed allocating transient memory for LCS")
	}
	t := newLCSTable(a, b)
	total := reply.Int(int64(t.at(len(a), len(b))))
	switch {
	case o.index:
		return reply.Map(reply.Bulk("matches"), reply.Array(t.matches(&o)...), reply.Bulk("len"), total)
	case o.length:
		return total
	}
	return reply.Bulk(t.common())
}

func parseLCS(args []string) (o lcsOptions, bad reply.Value, ok bool) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case isToken(arg, "idx"):
			o.index = true
		case isToken(arg, "len"):
			o.length = true
		case isToken(arg, "withmatchlen"):
			o.withLen = true
		case isToken(arg, "minmatchlen") && i+1 < len(args):
			i++
			if o.minLen, ok = parseInt(args[i]); !ok {
				return o, reply.Err(errNotInteger), false
			}
		default:
			return o, reply.Err(errSyntax), false
		}
	}
	if o.index && o.length {
		return o, reply.Err("ERR If you want both the length and indexes, please just use IDX."), false
	}
	return o, reply.Value{}, true
}

// lcsTable holds the length of the longest common subsequence of each pair of prefixes of a and b.
type lcsTable struct {
	a, b  string
	cells []uint32 // len(a)+1 rows of len(b)+1
}

func newLCSTable(a, b string) *lcsTable {
	w := len(b) + 1
	t := &lcsTable{a: a, b: b, cells: make([]uint32, (len(a)+1)*w)}
	for i := range len(a) {
		above, row := t.cells[i*w:(i+1)*w], t.cells[(i+1)*w:(i+2)*w]
		for j := range len(b) {
			if a[i] == b[j] {
				row[j+1] = above[j] + 1
			} else {
				row[j+1] = max(above[j+1], row[j])
			}
		}
	}
	return t
}

func (t *lcsTable) at(i, j int) uint32 { return t.cells[i*(len(t.b)+1)+j] }

// walk goes from the ends of both strings to their beginnings and calls f with the positions of
// each byte of the subsequence. Where two ways are equally good it shortens b, as Redis does.
func (t *lcsTable) walk(f func(i, j int)) {
	for i, j := len(t.a), len(t.b); i > 0 && j > 0; {
		switch {
		case t.a[i-1] == t.b[j-1]:
			i, j = i-1, j-1
			f(i, j)
		case t.at(i-1, j) > t.at(i, j-1):
			i--
		default:
			j--
		}
	}
}

func (t *lcsTable) common() string {
	s := make([]byte, 0, t.at(len(t.a), len(t.b)))
	t.walk(func(i, _ int) { s = append(s, t.a[i]) })
	slices.Reverse(s)
	return string(s)
}

// matches are the runs of the subsequence that are contiguous in both strings, last first.
func (t *lcsTable) matches(o *lcsOptions) []reply.Value {
	out := []reply.Value{}
	i0, j0, n := 0, 0, 0 // the run so far: where it begins, and its length
	emit := func() {
		if n == 0 || int64(n) < o.minLen {
			return
		}
		m := []reply.Value{lcsRange(i0, n), lcsRange(j0, n)}
		if o.withLen {
			m = append(m, reply.Int(int64(n)))
		}
		out = append(out, reply.Array(m...))
	}
	t.walk(func(i, j int) {
		if n > 0 && i == i0-1 && j == j0-1 {
			i0, j0, n = i, j, n+1
			return
		}
		emit()
		i0, j0, n = i, j, 1
	})
	emit()
	return out
}

func lcsRange(from, n int) reply.Value {
	return reply.Array(reply.Int(int64(from)), reply.Int(int64(from+n-1)))
}
