package datastore

// object writes the kind of o and its value.
func (w *rdbWriter) object(o Object) {
	switch o := o.(type) {
	case *String:
		w.byte(rdbString)
		w.string(o)
	case *List:
		w.byte(rdbQuicklist2)
		w.list(o)
	case *Set:
		w.set(o)
	case *ZSet:
		w.zset(o)
	case *Hash:
		w.hash(o)
	case *Stream:
		kind := byte(rdbStream2)
		if w.opt.version() >= streamActiveVersion {
			kind = rdbStream3
		}
		w.byte(kind)
		w.stream(o)
	}
}

func (w *rdbWriter) string(s *String) {
	if s.enc == encInt {
		w.intText(s.num)
		return
	}
	w.text(s.text)
}

func (w *rdbWriter) set(s *Set) {
	if s.Compact() {
		w.byte(rdbIntset)
		w.blob(s.ints)
		return
	}
	w.byte(rdbSet)
	w.length(uint64(s.Len()))
	s.All(func(m string) bool { w.text(m); return true })
}

func (w *rdbWriter) hash(h *Hash) {
	if h.times != nil && (h.Compact() || h.firstExpire() != 0) {
		w.hashTimes(h)
		return
	}
	if h.Compact() {
		w.byte(rdbHashListpack)
		w.blob(h.lp)
		return
	}
	w.byte(rdbHash)
	w.length(uint64(h.Len()))
	h.All(func(field, value string) bool {
		w.text(field)
		w.text(value)
		return true
	})
}

// zset writes a sorted set; the skiplist encoding from the greatest element to the least.
func (w *rdbWriter) zset(z *ZSet) {
	n := z.Len()
	if z.Compact() {
		w.byte(rdbZSetListpack)
		w.blob(z.lp)
		return
	}
	w.byte(rdbZSet)
	w.length(uint64(n))
	z.Descend(n-1, n, func(it ZItem) bool {
		w.text(it.Member)
		w.double(it.Score)
		return true
	})
}
