package resp

import "unsafe"

// slabSize is how many bytes of small arguments may share one allocation: a small argument that is stored keeps
// at most so many bytes of others alive.
const slabSize = 256

// ownString is the size from which an argument of a larger request gets a string of its own.
const ownString = 64

// maxNames bounds a connection's table of command names.
const maxNames = 64

// span is an argument's place in the read buffer.
type span struct{ from, to int }

// names are the command names that a connection has sent, so that each is a string only once.
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

// appendStrings adds the spans of buf to dst as strings: a small request costs one allocation, the larger
// arguments of others one each, so that a small argument never keeps a large buffer alive.
func appendStrings(dst []string, buf []byte, spans []span) []string {
	total, small := 0, 0
	for _, s := range spans {
		n := s.to - s.from
		total += n
		if n < ownString {
			small += n
		}
	}
	limit := ownString // arguments of this size and more stand alone
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
		slab = append(slab, arg...) // never moves: there is room
		small -= len(arg)
		dst = append(dst, unsafe.String(&slab[at], len(arg)))
	}
	return dst
}
