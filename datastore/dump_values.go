package datastore

// object writes the kind of o and its value.
func (w *rdbWriter) object(o Object) {
	w.kind(o)
	w.value(o)
}

// kind writes the kind of o.
func (w *rdbWriter) kind(o Object) { w.Byte(w.kindOf(o) &^ foreignKind) }

// kindOf returns the kind in which o is written.
func (w *rdbWriter) kindOf(o Object) byte {
	switch o := o.(type) {
	case *List:
		return rdbQuicklist2
	case *Set:
		switch {
		case o.dict != nil:
			return rdbSet
		case o.lp != nil:
			return rdbSetListpack
		}
		return rdbIntset
	case *ZSet:
		if o.Compact() {
			return rdbZSetListpack
		}
		return rdbZSet
	case *Hash:
		return w.hashKind(o)
	case *Stream:
		switch {
		case w.producers():
			return rdbStream4
		case w.version >= redis72Version:
			return rdbStream3
		}
		return rdbStream2
	}
	return rdbString
}

// hashKind is kindOf of a hash.
func (w *rdbWriter) hashKind(h *Hash) byte {
	switch timed := h.times != nil; {
	case timed && w.version >= valkey90Version:
		if h.firstExpire() != 0 {
			return rdbHashValkey
		}
		return rdbHash
	case h.Compact() && timed:
		return rdbHashListpackTimes
	case h.Compact():
		return rdbHashListpack
	case timed && h.firstExpire() != 0:
		return rdbHashTimes
	}
	return rdbHash
}

// value writes the value of o, which follows its kind and, in a file, its key.
func (w *rdbWriter) value(o Object) {
	switch o := o.(type) {
	case *String:
		w.string(o)
	case *List:
		w.list(o)
	case *Set:
		w.set(o)
	case *ZSet:
		w.zset(o)
	case *Hash:
		w.hash(o)
	case *Stream:
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
	switch {
	case s.lp != nil:
		w.Blob(*s.lp)
		return
	case s.dict == nil:
		w.Blob(s.ints)
		return
	}
	w.Length(uint64(s.Len()))
	s.All(func(m string) bool { w.Text(m); return true })
}

func (w *rdbWriter) hash(h *Hash) {
	switch w.hashKind(h) {
	case rdbHashTimes, rdbHashListpackTimes:
		w.hashTimes(h)
		return
	case rdbHashValkey:
		w.valkeyHash(h)
		return
	case rdbHashListpack:
		w.Blob(h.lp)
		return
	}
	w.Length(uint64(h.Len()))
	h.each(func(field, value string, _ int64) bool {
		w.Text(field)
		w.Text(value)
		return true
	})
}

// zset writes a sorted set; the skiplist encoding from the greatest element to the least.
func (w *rdbWriter) zset(z *ZSet) {
	n := z.Len()
	if z.Compact() {
		w.Blob(z.lp)
		return
	}
	w.Length(uint64(n))
	z.Descend(n-1, n, func(it ZItem) bool {
		w.Text(it.Member)
		w.Double(it.Score)
		return true
	})
}
