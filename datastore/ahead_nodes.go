package datastore

// prefetchNodes prefetches the list and stream nodes of lookups that have an Index or an ID. For
// its result see [DB.prefetch].
func prefetchNodes(lookups []FutureLookup) (n int) {
	var bytes [aheadBatch][]byte // the bytes that the search in the node will read
	for i := range lookups {
		if l, ok := lookups[i].obj.(*List); ok && lookups[i].Indexed && l.nodes.len() >= aheadNodes {
			if at, ok := l.index(lookups[i].Index); ok {
				n += l.node(l.guess(at)).start
			}
		}
	}
	for i := range lookups {
		w := &lookups[i]
		switch o := w.obj.(type) {
		case *List:
			if w.Indexed && o.nodes.len() >= aheadNodes {
				bytes[i] = o.wayTo(w.Index)
			}
		case *Stream:
			if w.From && o.nodes.len() >= aheadNodes {
				if pos := o.nodes.seekBack(w.ID); o.nodes.valid(pos) {
					_, lp := o.nodes.at(pos)
					bytes[i] = lp[:len(lp)/2] // on average
				}
			}
		}
	}
	for _, b := range bytes[:len(lookups)] {
		if len(b) > 0 {
			n += int(b[0])
		}
	}
	const line = 64
	for _, b := range bytes[:len(lookups)] {
		for i := line; i < len(b); i += line {
			n += int(b[i])
		}
	}
	return n
}

// index returns i as an index from the front: a negative i counts from the end. ok is false if
// there is no such element.
func (l *List) index(i int) (at int, ok bool) {
	if i < 0 {
		i += l.n
	}
	return i, i >= 0 && i < l.n
}

// wayTo returns about the bytes of its node that a search for element i will read, from the nearer
// end.
func (l *List) wayTo(i int) []byte {
	at, ok := l.index(i)
	if !ok {
		return nil
	}
	k, off := l.seek(at)
	c := l.node(k)
	if c.plain {
		return nil
	}
	raw := c.raw()
	if 2*off < c.count {
		return raw[:len(raw)*off/c.count]
	}
	return raw[len(raw)*off/c.count:]
}
