package datastore

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"

	"github.com/redmoon-lua/redmoon/datastore/internal/ztree"
)

// Set sets the score of member, which must not be NaN. It reports whether member is new, and
// whether anything changed; 0 and -0 are the same score.
func (z *ZSet) Set(member string, score float64) (added, changed bool) {
	if z.tree == nil {
		if p := z.find(member); p != listpack.None {
			return false, z.Rescore(ZPlace{at: p}, member, score)
		}
		lim := z.st.limits
		if z.Len()+1 <= lim.ZSetMaxListpackEntries && len(member) <= lim.ZSetMaxListpackValue {
			z.insertCompact(z.lp.First(), ZItem{score, member})
			return true, true
		}
		z.toTree()
	}
	p, isNew := z.dict.Put(member)
	if !isNew {
		return false, z.Rescore(ZPlace{score: p}, member, score)
	}
	*p = score
	z.tree.Insert(ztree.Item{Score: score, Member: member})
	if st := z.st; st.Recording() {
		st.record(func() { z.remove(ZItem{score, member}) })
	}
	return true, true
}

// rescoreCompact sets the score of the member at p of the compact form to that of it.
func (z *ZSet) rescoreCompact(p int, it ZItem) (changed bool) {
	old := scoreAt(z.lp, z.lp.Next(p))
	if old == it.Score {
		return false
	}
	from := z.deleteCompact(p, 1)
	if it.Score < old {
		from = z.lp.First()
	}
	z.insertCompact(from, it)
	return true
}

// ZPlace is the position of a member in a sorted set. It is valid until the set changes.
type ZPlace struct {
	score *float64 // in the large form
	at    int      // in the compact form
}

// Find returns the position of member and its score.
func (z *ZSet) Find(member string) (p ZPlace, score float64, ok bool) {
	if z.tree != nil {
		if p.score = z.dict.Ref(member); p.score == nil {
			return p, 0, false
		}
		return p, *p.score, true
	}
	if p.at = z.find(member); p.at == listpack.None {
		return p, 0, false
	}
	return p, scoreAt(z.lp, z.lp.Next(p.at)), true
}

// Rescore sets the score of the member at p, which Find returned, and reports whether the score
// changed.
func (z *ZSet) Rescore(p ZPlace, member string, score float64) (changed bool) {
	if z.tree == nil {
		return z.rescoreCompact(p.at, ZItem{score, member})
	}
	old := *p.score
	if old == score {
		return false
	}
	*p.score = score
	z.tree.Move(ztree.Item{Score: old, Member: member}, score)
	if st := z.st; st.Recording() {
		st.record(func() {
			*z.dict.Ref(member) = old
			z.tree.Move(ztree.Item{Score: score, Member: member}, old)
		})
	}
	return true
}

// Remove removes member and returns its score.
func (z *ZSet) Remove(member string) (score float64, ok bool) {
	if z.tree == nil {
		p := z.find(member)
		if p == listpack.None {
			return 0, false
		}
		score = scoreAt(z.lp, z.lp.Next(p))
		z.deleteCompact(p, 1)
		return score, true
	}
	score, ok = z.dict.Get(member)
	if !ok {
		return 0, false
	}
	it := ZItem{score, member}
	pos := z.remove(it)
	if st := z.st; st.Recording() {
		st.recordKept(len(member), func() { z.restore(it, pos) })
	}
	return score, true
}

// RemoveRange removes the elements of ranks from to to (exclusive). 0 <= from <= to <= Len must
// hold.
func (z *ZSet) RemoveRange(from, to int) {
	switch {
	case from >= to:
		return
	case z.tree == nil:
		z.deleteCompact(z.lp.Seek(2*from), to-from)
		return
	case z.st.Recording():
		z.removeRecorded(from, to)
		return
	}
	ztree.Ascend(z.tree, from, to-from, func(it ZItem) bool { z.dict.Delete(it.Member); return true })
	for n := to - from; n > 0; {
		var p ztree.Path
		z.tree.Seek(from, &p)
		n -= z.tree.Cut(&p, n)
	}
}

// removeRecorded is RemoveRange of the large form while the store is recording.
func (z *ZSet) removeRecorded(from, to int) {
	gone := make([]ZItem, 0, to-from)
	z.Ascend(from, to-from, func(it ZItem) bool { gone = append(gone, it); return true })
	places := make([]int, len(gone))
	for i, it := range gone {
		places[i] = z.remove(it)
		z.st.noteKept(len(it.Member))
	}
	z.st.record(func() {
		for i := len(gone) - 1; i >= 0; i-- {
			z.restore(gone[i], places[i])
		}
	})
}

// Expand converts the compact form to the large form, as SORT does with a sorted set that it reads.
func (z *ZSet) Expand() {
	if z.tree == nil {
		z.toTree()
	}
}

// Expand is [ZSet.Expand] for the value of e, if it is a sorted set.
func (db *DB) Expand(e *Entry) {
	if z, ok := e.obj.(*ZSet); ok {
		db.open(e)
		z.Expand()
	}
}

// Expect prepares the sorted set for a command that gives it items. Since Redis 7.2 their number
// chooses the form, before it is known which of them are added; in Valkey their lengths do, too.
func (z *ZSet) Expect(items []ZItem) {
	lim := z.st.limits
	if z.tree != nil || !lim.NumberFirst {
		return
	}
	if len(items) > lim.ZSetMaxListpackEntries || lim.LengthFirst && slices.ContainsFunc(items, z.tooLong) {
		z.toTree()
	}
}

// tooLong reports whether the member of it is too long for the compact form.
func (z *ZSet) tooLong(it ZItem) bool { return len(it.Member) > z.st.limits.ZSetMaxListpackValue }

// toTree converts the compact form to the large form.
func (z *ZSet) toTree() {
	lp, dict, tree := z.lp, newDict[float64](z.st), ztree.New()
	z.Ascend(0, z.Len(), func(it ZItem) bool {
		dict.Set(it.Member, it.Score)
		tree.Insert(ztree.Item(it))
		return true
	})
	z.lp, z.dict, z.tree = nil, dict, tree
	if st := z.st; st.Recording() {
		st.record(func() { z.lp, z.dict, z.tree = lp, nil, nil })
	}
}

// insert, remove, restore and move change the large form. They journal nothing, because undo steps
// use them too.

func (z *ZSet) insert(it ZItem) {
	z.dict.Set(it.Member, it.Score)
	z.tree.Insert(ztree.Item(it))
}

// remove returns the member's position in the dict, for restore.
func (z *ZSet) remove(it ZItem) (pos int) {
	_, pos, _ = z.dict.Remove(it.Member)
	var p ztree.Path
	z.tree.Locate(ztree.Item(it), &p)
	z.tree.Cut(&p, 1)
	return pos
}

// restore undoes a remove and restores the order of the dict.
func (z *ZSet) restore(it ZItem, pos int) {
	z.dict.InsertAt(it.Member, it.Score, pos)
	z.tree.Insert(ztree.Item(it))
}
