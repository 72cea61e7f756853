package parse

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// CString returns s up to its first NUL byte.
func CString(s string) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}

// Uint reads half of a stream id as Redis does: an unsigned decimal of 64 bits, or else what C's
// strtoull accepts.
func Uint(s string) (uint64, bool) {
	if n, ok := Int(s); ok {
		return uint64(n), n >= 0
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if negative {
		n = -n
	}
	return n, err == nil
}

// SplitID cuts an id at its first dash. ok is false when it is too long for any id.
func SplitID(arg string) (ms, seq string, dash, ok bool) {
	ms, seq, dash = strings.Cut(CString(arg), "-")
	return ms, seq, dash, len(arg) < 128
}

// StreamID reads ms-seq, or ms alone, whose seq is then missing.
func StreamID(arg string, missing uint64) (id datastore.StreamID, ok bool) {
	ms, seq, dash, ok := SplitID(arg)
	if !ok {
		return id, false
	}
	if id.Ms, ok = Uint(ms); !ok {
		return id, false
	}
	id.Seq = missing
	if dash {
		id.Seq, ok = Uint(seq)
	}
	return id, ok
}
