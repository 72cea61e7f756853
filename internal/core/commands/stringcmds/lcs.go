package stringcmds

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// lcsCell is the size in bytes of a cell of Redis's table for LCS. The table must not exceed the
// length of the longest string; ours is 32 times smaller, but has the same limit.
const lcsCell = 4

type lcsOptions struct {
	length, index, withLen bool
	minLen                 int64
}

func lcs(c *server.Ctx) reply.Value {
	var text [2]string
	wrong := false
	for i := range text {
		s, err := c.ReadString(c.Args[1+i])
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
	if int64(len(a)+1)*int64(len(b)+1)*lcsCell > c.Server.Config.ProtoMaxBulkLen() {
		return reply.Err("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len")
	}
	t := newLCSTable(a, b)
	total := reply.Int(int64(t.total))
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
		case parse.IsToken(arg, "idx"):
			o.index = true
		case parse.IsToken(arg, "len"):
			o.length = true
		case parse.IsToken(arg, "withmatchlen"):
			o.withLen = true
		case parse.IsToken(arg, "minmatchlen") && i+1 < len(args):
			i++
			if o.minLen, ok = parse.Int(args[i]); !ok {
				return o, reply.Err(errtext.NotInteger), false
			}
		default:
			return o, reply.Err(errtext.Syntax), false
		}
	}
	if o.index && o.length {
		return o, reply.Err("ERR If you want both the length and indexes, please just use IDX."), false
	}
	return o, reply.Value{}, true
}

// lcsTable says for each pair of prefixes of a and b which of the two walk shortens.
type lcsTable struct {
	a, b  string
	total int      // length of the longest common subsequence
	up    []uint64 // a bit for each pair: leaving out the last byte of a's prefix is the better choice
}

func newLCSTable(a, b string) *lcsTable {
	t := &lcsTable{a: a, b: b, up: make([]uint64, len(a)*len(b)/64+1)}
	above, row := make([]uint32, len(b)+1), make([]uint32, len(b)+1)
	bit := 0
	for i := range len(a) {
		for j := range len(b) {
			switch {
			case a[i] == b[j]:
				row[j+1] = above[j] + 1
			case above[j+1] > row[j]:
				row[j+1] = above[j+1]
				t.up[bit>>6] |= 1 << (bit & 63)
			default:
				row[j+1] = row[j]
			}
			bit++
		}
		above, row = row, above
	}
	t.total = int(above[len(b)])
	return t
}

// goUp reports whether to shorten a when the prefixes of i+1 and j+1 bytes end differently.
func (t *lcsTable) goUp(i, j int) bool {
	bit := i*len(t.b) + j
	return t.up[bit>>6]>>(bit&63)&1 != 0
}

// walk goes from the ends of both strings to their beginnings and calls f with the positions of
// each byte of the subsequence. Where two ways are equally good it shortens b, as Redis does.
func (t *lcsTable) walk(f func(i, j int)) {
	for i, j := len(t.a), len(t.b); i > 0 && j > 0; {
		switch {
		case t.a[i-1] == t.b[j-1]:
			i, j = i-1, j-1
			f(i, j)
		case t.goUp(i-1, j-1):
			i--
		default:
			j--
		}
	}
}

func (t *lcsTable) common() string {
	s := make([]byte, 0, t.total)
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
