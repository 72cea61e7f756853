package resp

import "unsafe"

// slabSize is the number of bytes of small arguments that may share one allocation: a small
// argument that is stored keeps at most this many bytes of other arguments alive.
const slabSize = 256

// ownString is the size in bytes from which an argument of a larger request gets an allocation of
// its own.
const ownString = 64

// maxNames is the greatest number of command names that a connection caches.
const maxNames = 64

// span is the position of an argument in the read buffer.
type span struct{ from, to int }

// names is a cache of the command names that a connection has sent, so that each is allocated once.
type names map[string]string

func (n names) intern(b []byte) (string, bool) {
	if s, ok := n[string(b)]; ok {
		return s, true
	}
	if len(b) > 24 || len(n) >= maxNames {
		return "", false
	}
	s := string(b)
	n[s] = s
	return s, true
}

// appendStrings appends the spans of buf to dst as strings. A small request needs one allocation;
// larger arguments of other requests need one each, so that a small argument never keeps a large
// buffer alive.
func appendStrings(dst []string, buf []byte, spans []span) []string {
	total, small := 0, 0
	for _, s := range spans {
		n := s.to - s.from
		total += n
		if n < ownString {
			small += n
		}
	}
	limit := ownString // arguments of at least this size are allocated separately
	if total <= slabSize {
		limit, small = slabSize+1, total
	}
	var slab []byte
	for _, s := range spans {
		arg := buf[s.from:s.to]
		if len(arg) >= limit {
			dst = append(dst, string(arg))
			continue
		}
		if len(arg) == 0 {
			dst = append(dst, "")
			continue
		}
		if cap(slab)-len(slab) < len(arg) {
			slab = make([]byte, 0, max(min(small, slabSize), len(arg)))
		}
		at := len(slab)
		slab = append(slab, arg...) // never reallocates: the capacity suffices
		small -= len(arg)
		dst = append(dst, unsafe.String(&slab[at], len(arg)))
	}
	return dst
}
