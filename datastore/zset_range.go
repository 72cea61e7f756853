package datastore

import (
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"

	"github.com/redmoon-lua/redmoon/datastore/internal/ztree"
)

// ScoreRange is an interval of scores. The bounds may be infinite, never NaN.
type ScoreRange struct {
	Min, Max     float64
	MinEx, MaxEx bool // the bound itself is excluded
}

func (r *ScoreRange) below(score float64) bool {
	return score < r.Min || r.MinEx && score == r.Min
}

func (r *ScoreRange) above(score float64) bool {
	return score > r.Max || r.MaxEx && score == r.Max
}

// ScoreSpan returns the range of ranks, to exclusive, of the elements whose scores are in r.
func (z *ZSet) ScoreSpan(r ScoreRange) (from, to int) {
	if z.tree != nil {
		from = z.tree.Partition(func(it ztree.Item) bool { return r.below(it.Score) })
		to = z.tree.Partition(func(it ztree.Item) bool { return !r.above(it.Score) })
		return from, max(from, to)
	}
	for p := z.lp.First(); p != listpack.None; {
		s := z.lp.Next(p)
		score := scoreAt(z.lp, s)
		if r.above(score) {
			break
		}
		if to++; r.below(score) {
			from++
		}
		p = z.lp.Next(s)
	}
	return from, max(from, to)
}

// LexBound is one end of an interval of members.
type LexBound struct {
	Inf    int // -1: before every member; 1: after every member; 0: the bound is Member
	Member string
	Ex     bool // Member itself is excluded
}

// LexRange is an interval of members, compared by their bytes.
type LexRange struct{ Min, Max LexBound }

func (r *LexRange) below(member string) bool {
	switch {
	case r.Min.Inf != 0:
		return r.Min.Inf > 0
	case r.Min.Ex:
		return member <= r.Min.Member
	}
	return member < r.Min.Member
}

func (r *LexRange) above(member string) bool {
	switch {
	case r.Max.Inf != 0:
		return r.Max.Inf < 0
	case r.Max.Ex:
		return member >= r.Max.Member
	}
	return member > r.Max.Member
}

// LexSpan returns the ranks, from inclusive and to exclusive, of the elements whose members are in
// r, without the first skip of them (with reverse, the last). All scores should be equal.
//
// If they are not, the result is that of Redis, as far as the compact form goes: the search begins
// at the front, or with reverse at the back, goes on to the first member within the near bound,
// skips skip members, and ends before the first member beyond the far bound.
func (z *ZSet) LexSpan(r LexRange, reverse bool, skip int64) (from, to int) {
	n := z.Len()
	if r.empty() || n == 0 || skip >= int64(n) {
		return 0, 0
	}
	if z.tree == nil {
		return z.lexWalk(r, reverse, int(skip))
	}
	from = z.tree.Partition(func(it ztree.Item) bool { return r.below(it.Member) })
	to = z.tree.Partition(func(it ztree.Item) bool { return !r.above(it.Member) })
	if reverse {
		to -= int(skip)
	} else {
		from += int(skip)
	}
	if from >= to {
		return 0, 0
	}
	return from, to
}

// lexWalk is LexSpan in the compact form.
func (z *ZSet) lexWalk(r LexRange, reverse bool, skip int) (from, to int) {
	n := z.Len()
	members := make([]string, 0, n)
	z.Ascend(0, n, func(it ZItem) bool { members = append(members, it.Member); return true })
	if r.below(members[n-1]) || r.above(members[0]) {
		return 0, 0
	}
	if reverse {
		for to = n; to > 0 && r.above(members[to-1]); to-- {
		}
		if to == 0 || r.below(members[to-1]) || to <= skip {
			return 0, 0
		}
		to -= skip
		for from = to; from > 0 && !r.below(members[from-1]); from-- {
		}
		return from, to
	}
	for from = 0; from < n && r.below(members[from]); from++ {
	}
	if from == n || r.above(members[from]) || from+skip >= n {
		return 0, 0
	}
	from += skip
	for to = from; to < n && !r.above(members[to]); to++ {
	}
	return from, to
}

// empty reports whether no member can be in the range.
func (r *LexRange) empty() bool {
	a, b := r.Min, r.Max
	if a.Inf != 0 || b.Inf != 0 {
		return a.Inf > b.Inf
	}
	return a.Member > b.Member || a.Member == b.Member && (a.Ex || b.Ex)
}
