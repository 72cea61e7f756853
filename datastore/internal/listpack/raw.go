package listpack

import "encoding/binary"

// AppendText appends a text as an entry to raw entries; see [List.Splice].
func AppendText(raw []byte, s string) []byte { return appendText(raw, s) }

// AppendInt appends an integer as an entry to raw entries.
func AppendInt(raw []byte, n int64) []byte { return appendInt(raw, n) }

// ValidEntries is a deep [Validate] that ignores the number of entries in the header.
func ValidEntries(b []byte) bool {
	if Validate(b, false) != nil {
		return false
	}
	l := List(b)
	for p := headerSize; p < l.End(); {
		size, ok := l.validEntry(p)
		if !ok {
			return false
		}
		p += size
	}
	return true
}

// Frame writes the header and the end byte around count entries, whose bytes are already in l.
func (l List) Frame(count int) {
	binary.LittleEndian.PutUint32(l, uint32(len(l)))
	l.setCount(min(count, unknown))
	l[len(l)-1] = eof
}

// Behind returns the offset after the entry at p.
func (l List) Behind(p int) int { return l.skip(p) }
