package datastore

import "unsafe"

// buffer returns the whole own buffer. There must be one (encRaw, num > 0).
func (s *String) buffer() []byte { return unsafe.Slice(unsafe.StringData(s.text), s.num) }

// spare returns how many bytes can be appended without copying.
func (s *String) spare() int {
	if s.enc != encRaw || s.num == 0 {
		return 0
	}
	return int(s.num) - len(s.text)
}

// own copies the bytes of s to a new buffer of at least size bytes, and sets its length to length;
// the bytes after the old value are zero.
func (s *String) own(length, size int) {
	b := make([]byte, max(length, size))
	copy(b, s.Text())
	*s = String{text: unsafe.String(unsafe.SliceData(b), length), num: int64(len(b)), enc: encRaw}
}

// growSize returns the buffer size for a value that has grown to n bytes: twice the size, from 1 MB
// on a quarter more, so that growing byte by byte is O(1) amortized.
func growSize(n int) int {
	if n < 1<<20 {
		return max(2*n, 16)
	}
	return n + n/4
}

// Append appends tail and returns the new length in bytes. The encoding becomes raw.
func (s *String) Append(st *Store, tail string) int {
	old := *s
	if len(tail) > s.spare() || s.enc != encRaw || s.num == 0 {
		n := s.Len()
		s.own(n+len(tail), growSize(n+len(tail)))
		copy(s.buffer()[n:], tail)
		if st.Recording() {
			st.NotePut(len(s.text))
			st.recordKept(len(old.text), func() { *s = old })
		}
		return len(s.text)
	}
	n := len(s.text)
	copy(s.buffer()[n:], tail)
	s.text = unsafe.String(unsafe.StringData(s.text), n+len(tail))
	if st.Recording() {
		// Text may have returned the bytes after the old text, so the buffer is not used any more.
		// It may also be another buffer, if undoing a later SetRange needed a copy.
		st.record(func() { *s = String{text: s.text[:n], enc: encRaw} })
	}
	return len(s.text)
}

// SetRange writes text at offset, after zero bytes if the value is shorter, and returns the new
// length in bytes. text must not be empty. The encoding becomes raw.
func (s *String) SetRange(st *Store, offset int, text string) int {
	b := s.open(st, offset, offset+len(text))
	copy(b[offset:], text)
	return len(b)
}

// open prepares a change of the bytes [from:to]: it journals them, extends s with zero bytes if it
// is shorter than to, and returns all bytes. The caller may write to [from:to] of the result until
// s is used again. The encoding becomes raw.
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
		size = growSize(end)
	}
	s.own(end, size)
	if st.Recording() {
		st.NotePut(size)
		st.recordKept(len(old.text), func() { *s = old })
	}
	return s.buffer()[:end]
}

// recordRange journals the bytes [from:to], which are about to be overwritten in place, and the
// current length.
func (s *String) recordRange(st *Store, from, to int) {
	n := len(s.text)
	from = min(from, n)
	saved := s.text[from:max(from, to)]
	saved = string(append([]byte(nil), saved...))
	st.noteCopied(len(saved))
	st.record(func() {
		if s.num == 0 || s.lent {
			s.own(n, n)
		}
		copy(s.buffer()[from:], saved)
		// The bytes after the text may be written again: they were not lent, or own has just
		// allocated them.
		s.text = unsafe.String(unsafe.StringData(s.text), n)
	})
}
