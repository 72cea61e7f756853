package listpack

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by the errors of [Validate].
var ErrCorrupt = errors.New("not a listpack")

// Validate checks untrusted bytes: the header and the end byte and, if deep is set, every entry and
// their number. Only bytes that a deep Validate has accepted are safe to use.
func Validate(b []byte, deep bool) error {
	if len(b) < headerSize+1 {
		return fmt.Errorf("%w: %d bytes", ErrCorrupt, len(b))
	}
	if n := binary.LittleEndian.Uint32(b); int64(n) != int64(len(b)) {
		return fmt.Errorf("%w: %d bytes, %d in the header", ErrCorrupt, len(b), n)
	}
	if b[len(b)-1] != eof {
		return fmt.Errorf("%w: no end", ErrCorrupt)
	}
	if !deep {
		return nil
	}
	l, n := List(b), 0
	for p := headerSize; p < l.End(); n++ {
		size, ok := l.validEntry(p)
		if !ok {
			return fmt.Errorf("%w: entry at byte %d", ErrCorrupt, p)
		}
		p += size
	}
	if c := l.headerCount(); c != unknown && c != n {
		return fmt.Errorf("%w: %d entries, %d in the header", ErrCorrupt, n, c)
	}
	return nil
}

// validEntry checks the entry at p and returns its size, including the length at its end.
func (l List) validEntry(p int) (size int, ok bool) {
	end := l.End()
	head := 1
	switch c := l[p]; {
	case c > 0xf4:
		return 0, false
	case c == 0xf0:
		head = 5
	case c >= 0xe0 && c < 0xf0:
		head = 2
	}
	if end-p < head {
		return 0, false
	}
	if l[p] == 0xf0 && int64(binary.LittleEndian.Uint32(l[p+1:])) > int64(end-p) {
		return 0, false
	}
	n := l.encodedSize(p)
	size = n + backlenSize(n)
	if end-p < size {
		return 0, false
	}
	// The length is read from its end: what it spans must be the entry and nothing before it.
	m, width := l.backlen(p + size - 1)
	return size, width != 0 && m+backlenSize(m) == size
}
