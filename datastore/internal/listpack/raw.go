package listpack

// AppendText appends a text as an entry to raw entries; see [List.Splice].
func AppendText(raw []byte, s string) []byte { return appendText(raw, s) }

// AppendInt appends an integer as an entry to raw entries.
func AppendInt(raw []byte, n int64) []byte { return appendInt(raw, n) }

// ValidEntries reports whether the block is whole and every entry sound, whatever number of them the header tells: what
// a deep [Validate] is, for those who never ask for it.
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
