package datastore

import "sort"

// ScoreRange is an interval of scores. The bounds may be infinite, never NaN.
type ScoreRange struct {
	Min, Max     float64
	MinEx, MaxEx bool // the bound itself is left out
}

func (r *ScoreRange) below(score float64) bool {
	return score < r.Min || r.MinEx && score == r.Min
}

func (r *ScoreRange) above(score float64) bool {
	return score > r.Max || r.MaxEx && score == r.Max
}

// ScoreSpan returns the ranks from to to-1 of the elements whose scores are in r.
func (z *ZSet) ScoreSpan(r ScoreRange) (from, to int) {
	from = z.partition(func(it ZItem) bool { return r.below(it.Score) })
	to = z.partition(func(it ZItem) bool { return !r.above(it.Score) })
	return from, max(from, to)
}

// partition returns the number of elements for which before is true; it must be true for a prefix.
func (z *ZSet) partition(before func(ZItem) bool) int {
	if z.tree != nil {
		return z.tree.partition(before)
	}
	return sort.Search(len(z.items), func(i int) bool { return !before(z.items[i]) })
}

// LexBound is one end of an interval of members.
type LexBound struct {
	Inf    int // -1: before every member, 1: behind every member, 0: see Member
	Member string
	Ex     bool // Member itself is left out
}

// LexRange is an interval of members by their bytes.
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

// LexSpan returns the ranks from to to-1 of the elements whose members are in r, without the first
// skip of them (the last, with reverse). It means something only when all scores are equal.
// Where they are not, the compact form walks as Redis does: from the front, or with reverse from the back,
// to the first member within the near bound, over skip members whatever they are, and on to the first
// member out of the far bound.
func (z *ZSet) LexSpan(r LexRange, reverse bool, skip int64) (from, to int) {
	n := z.Len()
	if r.empty() || n == 0 || skip >= int64(n) {
		return 0, 0
	}
	if z.tree == nil {
		return z.lexWalk(r, reverse, int(skip))
	}
	from = z.tree.partition(func(it ZItem) bool { return r.below(it.Member) })
	to = z.tree.partition(func(it ZItem) bool { return !r.above(it.Member) })
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
	n := len(z.items)
	if r.below(z.items[n-1].Member) || r.above(z.items[0].Member) {
		return 0, 0
	}
	if reverse {
		for to = n; to > 0 && r.above(z.items[to-1].Member); to-- {
		}
		if to == 0 || r.below(z.items[to-1].Member) || to <= skip {
			return 0, 0
		}
		to -= skip
		for from = to; from > 0 && !r.below(z.items[from-1].Member); from-- {
		}
		return from, to
	}
	for from = 0; from < n && r.below(z.items[from].Member); from++ {
	}
	if from == n || r.above(z.items[from].Member) || from+skip >= n {
		return 0, 0
	}
	from += skip
	for to = from; to < n && !r.above(z.items[to].Member); to++ {
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
