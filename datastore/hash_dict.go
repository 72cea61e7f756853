package datastore

// pos returns the position of key, or -1; see [Dict.At].
func (d *Dict[V]) pos(key string) int {
	if d.n == 0 {
		return -1
	}
	s := d.slot(key, d.hash(key))
	if s < 0 {
		return -1
	}
	return int(uint32(d.index[s])) - 1
}

// restore undoes a Delete: it adds key at position pos, and the element that is there goes back to the end.
func (d *Dict[V]) restore(pos int, key string, v V) {
	p, _ := d.Put(key)
	*p = v
	last := d.n - 1
	if pos == last {
		return
	}
	a, b := d.slot(key, d.at(last).hash), d.slot(d.at(pos).key, d.at(pos).hash)
	d.index[a], d.index[b] = d.index[a]>>32<<32|uint64(pos+1), d.index[b]>>32<<32|uint64(last+1)
	*d.at(pos), *d.at(last) = *d.at(last), *d.at(pos)
}
