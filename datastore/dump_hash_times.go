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
		w.Int64(first)
		w.Blob(h.lp)
		return
	}
	w.Int64(first)
	w.Length(uint64(h.Len()))
	h.each(func(field, value string, at int64) bool {
		if at != 0 {
			at += 1 - first
		}
		w.Length(uint64(at))
		w.Text(field)
		w.Text(value)
		return true
	})
}

// valkeyHash writes a hash with expiry times of fields as Valkey does: fields, values and times, -1
// for none.
func (w *rdbWriter) valkeyHash(h *Hash) {
	w.Length(uint64(h.Len()))
	h.each(func(field, value string, at int64) bool {
		w.Text(field)
		w.Text(value)
		if at == 0 {
			at = -1
		}
		w.Int64(at)
		return true
	})
}

// valkeyHash reads a sequence of fields, values and times. It has the large form, whatever its
// size. With dropExpired it leaves out fields that have expired.
func (r *rdbReader) valkeyHash() Object {
	h := r.st.NewHash()
	h.toDict()
	h.makeTimed()
	seen := map[string]bool{}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		field, value := r.Text(), r.Text()
		at := r.Int64()
		if at < -1 || seen[field] {
			r.Fail()
		}
		if r.Bad {
			break
		}
		seen[field] = true
		switch {
		case at == -1:
			at = 0
		case at == 0:
			at = 1 // Valkey keeps the time 0, which has passed, too
		}
		if r.dropExpired && r.st.isPast(at) {
			continue
		}
		h.set(field, value, at)
	}
	r.allExpired = len(seen) > 0 && h.Len() == 0
	return h
}

// hashTimes reads a sequence of times, fields and values.
func (r *rdbReader) hashTimes(kind byte) Object {
	first := int64(1)
	if kind == rdbHashTimes {
		first = r.Int64()
	}
	h := r.st.NewHash()
	h.makeTimed()
	n := r.Length()
	if n > uint64(r.st.limits.HashMaxListpackEntries) {
		h.toDict()
	}
	seen := map[string]bool{}
	for ; n > 0 && !r.Bad; n-- {
		at := r.Length()
		if at > math.MaxInt64/2 || first < 0 || first > math.MaxInt64/2 {
			r.Fail()
		}
		field, value := r.Text(), r.Text()
		if at != 0 {
			at += uint64(first) - 1
		}
		if seen[field] {
			r.Fail()
		}
		if r.Bad {
			break
		}
		seen[field] = true
		h.set(field, value, int64(at))
	}
	return h
}

// hashListpackTimes reads a listpack of fields, values and times.
func (r *rdbReader) hashListpackTimes(kind byte) Object {
	if kind == rdbHashListpackTimes {
		r.Int64() // the earliest time, which the listpack has too
	}
	b := r.OwnBlob()
	if r.distinct(r.views(b), 3); r.Bad {
		return nil
	}
	h := r.st.NewHash()
	h.makeTimed()
	h.lp = listpack.List(b)
	if h.checkOrder() != nil {
		r.Fail()
		return nil
	}
	if h.Len() > r.st.limits.HashMaxListpackEntries {
		h.toDict()
	}
	return h
}
