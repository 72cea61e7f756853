package datastore

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// hashTimes writes a hash with expiry times of fields: the earliest time, followed by a listpack or
// a sequence of fields, values and times. In the sequence a time is the difference to the earliest
// plus 1, or 0 for none.
func (w *rdbWriter) hashTimes(h *Hash) {
	first := h.firstExpire()
	if h.Compact() {
		w.byte(rdbHashListpackTimes)
		w.int64(first)
		w.blob(h.lp)
		return
	}
	w.byte(rdbHashTimes)
	w.int64(first)
	w.length(uint64(h.Len()))
	h.each(func(field, value string, at int64) bool {
		if at != 0 {
			at += 1 - first
		}
		w.length(uint64(at))
		w.text(field)
		w.text(value)
		return true
	})
}

// hashTimes reads a sequence of times, fields and values.
func (r *rdbReader) hashTimes(kind byte) Object {
	if r.version < fieldTimesVersion {
		r.fail()
		return nil
	}
	first := int64(1)
	if kind == rdbHashTimes {
		first = r.int64()
	}
	h := r.st.NewHash()
	h.makeTimed()
	n := r.length()
	if n > uint64(r.st.limits.HashMaxListpackEntries) {
		h.toDict()
	}
	seen := map[string]bool{}
	for ; n > 0 && !r.bad; n-- {
		at := r.length()
		if at > math.MaxInt64/2 || first < 0 || first > math.MaxInt64/2 {
			r.fail()
		}
		field, value := r.text(), r.text()
		if at != 0 {
			at += uint64(first) - 1
		}
		if seen[field] {
			r.fail()
		}
		if r.bad {
			break
		}
		seen[field] = true
		h.set(field, value, int64(at))
	}
	return h
}

// hashListpackTimes reads a listpack of fields, values and times.
func (r *rdbReader) hashListpackTimes(kind byte) Object {
	if r.version < fieldTimesVersion {
		r.fail()
		return nil
	}
	if kind == rdbHashListpackTimes {
		r.int64() // the earliest time, which the listpack has too
	}
	b := r.blob()
	els := r.entries(b)
	if r.distinct(els, 3); r.bad {
		return nil
	}
	h := r.st.NewHash()
	h.makeTimed()
	h.lp = listpack.List(b).Clone()
	if h.checkOrder() != nil {
		r.fail()
		return nil
	}
	if h.Len() > r.st.limits.HashMaxListpackEntries {
		h.toDict()
	}
	return h
}
