package datastore

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// The compact form of a sorted set: a listpack of member, score, member, score ..., in order.

// scoreAt reads the score at p.
func scoreAt(lp listpack.List, p int) float64 {
	text, n, isInt := lp.Get(p)
	if isInt {
		return float64(n)
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return f
}

// wholeScore returns the integer as which the compact form stores a score; ok is false if it stores
// a text.
func wholeScore(f float64) (n int64, ok bool) {
	const half = 1 << 62
	if f >= -half && f <= half && f == float64(int64(f)) {
		return int64(f), true
	}
	return 0, false
}

// appendScore appends the text of a score that is not stored as an integer: 17 significant digits,
// as C's %.17g.
func appendScore(b []byte, f float64) []byte {
	if math.IsInf(f, 0) {
		if f < 0 {
			b = append(b, '-')
		}
		return append(b, "inf"...)
	}
	var room [32]byte
	e := strconv.AppendFloat(room[:0], f, 'e', 16, 64)
	if e[0] == '-' {
		b, e = append(b, '-'), e[1:]
	}
	exp, _ := strconv.Atoi(string(e[19:]))
	digits := append(e[:1], e[2:18]...)
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	switch {
	case exp < -4 || exp >= 17:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		return fmt.Appendf(b, "e%+03d", exp)
	case exp < 0:
		b = append(append(b, '0', '.'), "000"[:-exp-1]...)
		return append(b, digits...)
	}
	b = append(b, digits[:min(exp+1, len(digits))]...)
	if len(digits) <= exp+1 {
		for range exp + 1 - len(digits) {
			b = append(b, '0')
		}
		return b
	}
	return append(append(b, '.'), digits[exp+1:]...)
}

// putItem inserts an element before the entry at p of a compact form.
func (s *Store) putItem(lp *listpack.List, p int, it ZItem) {
	lp.InsertBefore(p, it.Member)
	if n, ok := wholeScore(it.Score); ok {
		lp.InsertIntAfter(p, n)
		return
	}
	var b [32]byte
	if s.limits.ShortScores {
		lp.InsertAfter(p, string(numbers.AppendShort(b[:0], it.Score)))
		return
	}
	lp.InsertAfter(p, string(appendScore(b[:0], it.Score)))
}

// find returns the position of member in the compact form, or listpack.None.
func (z *ZSet) find(member string) int { return z.lp.Find(z.lp.First(), member, 1) }

// item returns the element at p of the compact form.
func (z *ZSet) item(p int) ZItem { return ZItem{scoreAt(z.lp, z.lp.Next(p)), z.st.text(z.lp, p)} }

// place returns the position before which the compact form inserts an element: that of its
// successor, or the end. The search begins at from, which may be listpack.None.
func (z *ZSet) place(from int, it ZItem) int {
	for p := from; p != listpack.None; {
		s := z.lp.Next(p)
		if score := scoreAt(z.lp, s); score > it.Score || score == it.Score && z.lp.Compare(p, it.Member) > 0 {
			return p
		}
		p = z.lp.Next(s)
	}
	return z.lp.End()
}

// rankOf is the number of elements before position p.
func (z *ZSet) rankOf(p int) int {
	n := 0
	for q := z.lp.First(); q != p; q = z.lp.Next(z.lp.Next(q)) {
		n++
	}
	return n
}

// insertCompact inserts an element into the compact form. Its position must not be before from.
func (z *ZSet) insertCompact(from int, it ZItem) {
	p := z.place(from, it)
	z.st.putItem(&z.lp, p, it)
	if z.st.Recording() {
		z.st.record(func() { z.lp.Splice(p, 2, nil, 0) })
	}
}

// deleteCompact removes n elements, beginning with the one at p, and returns the position of the
// next.
func (z *ZSet) deleteCompact(p, n int) (next int) {
	if z.st.Recording() {
		old := z.lp.Raw(p, 2*n)
		z.st.record(func() { z.lp.Splice(p, 0, old, 2*n) })
	}
	return z.lp.DeleteAt(p, 2*n)
}

// ascendCompact is Ascend in the compact form.
func (z *ZSet) ascendCompact(rank, n int, f func(ZItem) bool) {
	if n <= 0 {
		return
	}
	for p := z.lp.Seek(2 * rank); p != listpack.None && n > 0; n-- {
		if !f(z.item(p)) {
			return
		}
		p = z.lp.Next(z.lp.Next(p))
	}
}

// descendCompact is Descend in the compact form.
func (z *ZSet) descendCompact(rank, n int, f func(ZItem) bool) {
	if n <= 0 || rank < 0 {
		return
	}
	for p := z.lp.Seek(2 * rank); p != listpack.None && n > 0; n-- {
		if !f(z.item(p)) {
			return
		}
		if p = z.lp.Prev(p); p != listpack.None {
			p = z.lp.Prev(p)
		}
	}
}

// checkCompact verifies that a valid listpack is the compact form of a sorted set.
func (z *ZSet) checkCompact() error {
	if z.lp.Len()%2 != 0 {
		return fmt.Errorf("zset: %d texts", z.lp.Len())
	}
	members := make(map[string]struct{}, z.Len())
	var last ZItem
	var err error
	z.Ascend(0, z.Len(), func(it ZItem) bool {
		_, twice := members[it.Member]
		if twice || math.IsNaN(it.Score) || len(members) > 0 && !last.before(it) {
			err = fmt.Errorf("zset: %v out of order", it)
		}
		members[it.Member] = struct{}{}
		last = it
		return err == nil
	})
	return err
}
