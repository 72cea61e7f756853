package datastore

import "unsafe"

// buffer is the whole own buffer. Caller must know that there is one (num > 0, raw).
func (s *String) buffer() []byte { return unsafe.Slice(unsafe.StringData(s.text), s.num) }

// spare is how many bytes may be appended without copying.
func (s *String) spare() int {
	if s.enc != encRaw || s.num == 0 {
		return 0
	}
	return int(s.num) - len(s.text)
}

// own moves the bytes of s into a new buffer of at least size bytes, of which the first
// length hold the value; what is behind the present bytes is zero.
func (s *String) own(length, size int) {
	b := make([]byte, max(length, size))
	copy(b, s.Text())
	*s = String{text: unsafe.String(unsafe.SliceData(b), length), num: int64(len(b)), enc: encRaw}
}

// roomy is the buffer size for a value that has grown to n bytes: room to double, from 1 MB on
// for a quarter more, so that growing byte by byte stays O(1) each.
func roomy(n int) int {
	if n < 1<<20 {
		return max(2*n, 16)
	}
	return n + n/4
}

// Append adds tail and returns the new length. The encoding becomes raw.
func (s *String) Append(st *Store, tail string) int {
	old := *s
	if len(tail) > s.spare() || s.enc != encRaw || s.num == 0 {
		n := s.Len()
		s.own(n+len(tail), roomy(n+len(tail)))
		copy(s.buffer()[n:], tail)
		if st.Recording() {
			st.record(func() { *s = old })
		}
		return len(s.text)
	}
	n := len(s.text)
	copy(s.buffer()[n:], tail)
	s.text = unsafe.String(unsafe.StringData(s.text), n+len(tail))
	if st.Recording() {
		// By then the bytes behind the old text may have been handed out, so the buffer is given up; and
		// it may be another buffer, when a SetRange behind this had to be undone in a copy.
		st.record(func() { *s = String{text: s.text[:n], enc: encRaw} })
	}
	return len(s.text)
}

// SetRange writes text at offset, zero bytes before it where the value is shorter, and returns
// the new length. text must not be empty. The encoding becomes raw.
func (s *String) SetRange(st *Store, offset int, text string) int {
	b := s.open(st, offset, offset+len(text))
	copy(b[offset:], text)
	return len(b)
}

// open prepares a change of the bytes from..to: it journals them, lets s grow with zero bytes where it is
// shorter than to, and returns all bytes, in a buffer that the caller may write to until s is used again, but only
// between from and to. The encoding becomes raw.
func (s *String) open(st *Store, from, to int) []byte {
	old, n := *s, s.Len()
	end := max(n, to)
	if s.enc == encRaw && s.num >= int64(end) && !s.lent {
		if st.Recording() {
			s.recordRange(st, from, min(to, n))
		}
		clear(s.buffer()[n:end])
		s.text = unsafe.String(unsafe.StringData(s.text), end)
		return s.buffer()[:end]
	}
	size := end
	if end > n && s.enc == encRaw {
		size = roomy(end)
	}
	s.own(end, size)
	if st.Recording() {
		st.record(func() { *s = old })
	}
	return s.buffer()[:end]
}

// recordRange journals the bytes from..to, which are about to be overwritten in place, and the
// present length.
func (s *String) recordRange(st *Store, from, to int) {
	n := len(s.text)
	from = min(from, n)
	saved := s.text[from:max(from, to)]
	saved = string(append([]byte(nil), saved...))
	st.record(func() {
		if s.num == 0 || s.lent {
			s.own(n, n)
		}
		copy(s.buffer()[from:], saved)
		// What lies behind the text is the buffer's own again: nothing of it was lent, or
		// own has just made it.
		s.text = unsafe.String(unsafe.StringData(s.text), n)
	})
}
