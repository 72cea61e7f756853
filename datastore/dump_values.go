package datastore

// object writes the kind of o and its value.
func (w *rdbWriter) object(o Object) {
	switch o := o.(type) {
	case *String:
		w.Byte(rdbString)
		w.string(o)
	case *List:
		w.Byte(rdbQuicklist2)
		w.list(o)
	case *Set:
		w.set(o)
	case *ZSet:
		w.zset(o)
	case *Hash:
		w.hash(o)
	case *Stream:
		kind := byte(rdbStream2)
		if w.version >= streamActiveVersion {
			kind = rdbStream3
		}
		w.Byte(kind)
		w.stream(o)
	}
}

func (w *rdbWriter) string(s *String) {
	if s.enc == encInt {
		w.IntText(s.num)
		return
	}
	w.Text(s.text)
}

func (w *rdbWriter) set(s *Set) {
	if s.Compact() {
		w.Byte(rdbIntset)
		w.Blob(s.ints)
		return
	}
	w.Byte(rdbSet)
	w.Length(uint64(s.Len()))
	s.All(func(m string) bool { w.Text(m); return true })
}

func (w *rdbWriter) hash(h *Hash) {
	if h.times != nil && (h.Compact() || h.firstExpire() != 0) {
		w.hashTimes(h)
		return
	}
	if h.Compact() {
		w.Byte(rdbHashListpack)
		w.Blob(h.lp)
		return
	}
	w.Byte(rdbHash)
	w.Length(uint64(h.Len()))
	h.All(func(field, value string) bool {
		w.Text(field)
		w.Text(value)
		return true
	})
}

// zset writes a sorted set; the skiplist encoding from the greatest element to the least.
func (w *rdbWriter) zset(z *ZSet) {
	n := z.Len()
	if z.Compact() {
		w.Byte(rdbZSetListpack)
		w.Blob(z.lp)
		return
	}
	w.Byte(rdbZSet)
	w.Length(uint64(n))
	z.Descend(n-1, n, func(it ZItem) bool {
		w.Text(it.Member)
		w.Double(it.Score)
		return true
	})
}
