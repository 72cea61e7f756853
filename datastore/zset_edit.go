package datastore

import "slices"

// Set gives member a score, which must not be NaN. It tells whether member is new, and whether
// anything changed: 0 and -0 are the same score.
func (z *ZSet) Set(member string, score float64) (added, changed bool) {
	if z.tree == nil {
		i := z.index(member)
		if i >= 0 {
			return false, z.rescore(member, z.items[i].Score, score)
		}
		lim := z.st.limits
		if len(z.items)+1 > lim.ZSetMaxListpackEntries || len(member) > lim.ZSetMaxListpackValue {
			z.convert()
		} else {
			score = plusZero(score)
		}
	} else if old, ok := z.dict.Get(member); ok {
		return false, z.rescore(member, old, score)
	}
	z.insert(ZItem{score, member})
	if st := z.st; st.Recording() {
		st.record(func() { z.remove(ZItem{score, member}) })
	}
	return true, true
}

// rescore changes the score of a member that is there.
func (z *ZSet) rescore(member string, old, score float64) (changed bool) {
	if old == score {
		return false
	}
	if z.tree == nil {
		score = plusZero(score)
	}
	z.move(ZItem{old, member}, score)
	if st := z.st; st.Recording() {
		st.record(func() { z.move(ZItem{score, member}, old) })
	}
	return true
}

// Remove takes member out and returns its score.
func (z *ZSet) Remove(member string) (score float64, ok bool) {
	score, ok = z.Score(member)
	if !ok {
		return 0, false
	}
	it := ZItem{score, member}
	pos := z.remove(it)
	if st := z.st; st.Recording() {
		st.record(func() { z.restore(it, pos) })
	}
	return score, true
}

// RemoveRange takes the elements of ranks from to to-1 out. The range must be within the set.
func (z *ZSet) RemoveRange(from, to int) {
	if from >= to {
		return
	}
	if z.st.Recording() {
		z.removeRecorded(from, to)
		return
	}
	if z.tree == nil {
		z.items = slices.Delete(z.items, from, to)
		return
	}
	z.tree.ascend(from, to-from, func(it ZItem) bool { z.dict.Delete(it.Member); return true })
	for n := to - from; n > 0; {
		var p zpath
		z.tree.seek(from, &p)
		n -= z.tree.cut(&p, n)
	}
}

// removeRecorded is RemoveRange that can be undone.
func (z *ZSet) removeRecorded(from, to int) {
	gone := make([]ZItem, 0, to-from)
	z.Ascend(from, to-from, func(it ZItem) bool { gone = append(gone, it); return true })
	places := make([]int, len(gone))
	for i, it := range gone {
		places[i] = z.remove(it)
	}
	z.st.record(func() {
		for i := len(gone) - 1; i >= 0; i-- {
			z.restore(gone[i], places[i])
		}
	})
}

// convert leaves the compact form.
func (z *ZSet) convert() {
	old := z.items
	z.toTree()
	if st := z.st; st.Recording() {
		st.record(func() { z.items, z.dict, z.tree = old, nil, nil })
	}
}

// toTree builds the large form from the compact one. It does not journal.
func (z *ZSet) toTree() {
	z.dict, z.tree = newDict[float64](z.st.seed), newZTree()
	for _, it := range z.items {
		z.dict.Set(it.Member, it.Score)
		z.tree.insert(it)
	}
	z.items = nil
}

// insert, remove, restore and move change whatever form the set is in; they neither journal nor convert, so
// the undo steps use them too.

func (z *ZSet) insert(it ZItem) {
	if z.tree == nil {
		z.items = slices.Insert(z.items, searchItems(z.items, it), it)
		return
	}
	z.dict.Set(it.Member, it.Score)
	z.tree.insert(it)
}

// remove returns the member's place in the dict, for restore.
func (z *ZSet) remove(it ZItem) (pos int) {
	if z.tree == nil {
		i := searchItems(z.items, it)
		z.items = slices.Delete(z.items, i, i+1)
		return 0
	}
	_, pos, _ = z.dict.remove(it.Member)
	var p zpath
	z.tree.find(it, &p)
	z.tree.cut(&p, 1)
	return pos
}

// restore undoes a remove, so that the dict is in the order that it was in.
func (z *ZSet) restore(it ZItem, pos int) {
	if z.tree == nil {
		z.insert(it)
		return
	}
	z.dict.insertAt(it.Member, it.Score, pos)
	z.tree.insert(it)
}

func (z *ZSet) move(it ZItem, score float64) {
	if z.tree == nil {
		z.remove(it)
		z.insert(ZItem{score, it.Member})
		return
	}
	*z.dict.Ref(it.Member) = score
	var p zpath
	z.tree.find(it, &p)
	if z.tree.replace(&p, score) {
		return
	}
	d := z.tree.height - 1
	kept := p.nodes[d].items[p.idx[d]].Member // the copy of the string that the dict shares
	z.tree.cut(&p, 1)
	z.tree.insert(ZItem{score, kept})
}
