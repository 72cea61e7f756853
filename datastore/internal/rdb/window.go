package rdb

import (
	"errors"
	"io"

	"github.com/redmoon-lua/redmoon/internal/base/parts"
)

// windowSize is the number of bytes that are read from a source at a time.
const windowSize = 64 << 10

// window is the state of a reader with a source.
type window struct {
	src    io.Reader
	before int64  // bytes before the buffer
	summed int    // bytes of the buffer that crc includes
	crc    uint64 // checksum of everything before
	sum    bool   // crc is computed
	err    error  // of src; io.EOF at its end
	limit  uint64 // longest string
	short  bool   // bytes were needed after the end of src
}

// NewSource returns a reader of src. It reads about 64 KiB ahead. With sum it computes the checksum
// of what it reads. Strings of more than limit bytes are malformed.
func NewSource(src io.Reader, sum bool, limit uint64) Reader {
	return Reader{buf: make([]byte, 0, windowSize), w: &window{src: src, sum: sum, limit: limit}}
}

// Offset is the number of bytes read.
func (r *Reader) Offset() int64 {
	if r.w == nil {
		return int64(r.pos)
	}
	return r.w.before + int64(r.pos)
}

// Err returns the error of the source because of which the reader is Bad: [io.EOF] if it needed
// bytes after the end. It is nil if there is none, or the reader has no source.
func (r *Reader) Err() error {
	if r.w == nil || !r.w.short {
		return nil
	}
	return r.w.err
}

// Sum returns the checksum of the bytes read.
func (r *Reader) Sum() uint64 {
	r.w.add(r.buf[:r.pos])
	return r.w.crc
}

// Rest returns a reader of what follows the bytes read. The Reader must not be used after it.
func (r *Reader) Rest() io.Reader {
	return io.MultiReader(&rest{r.buf[r.pos:]}, r.w.src)
}

// rest is a reader of bytes.
type rest struct{ b []byte }

func (r *rest) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// add adds to the checksum the bytes of the buffer, up to the end of read, that it lacks.
func (w *window) add(read []byte) {
	if w.sum {
		w.crc = Checksum(w.crc, read[w.summed:])
	}
	w.summed = len(read)
}

// fill reads from the source until the buffer has n unread bytes, 1 <= n <= windowSize, and reports
// whether it has.
func (r *Reader) fill(n int) bool {
	w := r.w
	if w == nil || r.Bad {
		return false
	}
	w.add(r.buf[:r.pos])
	w.before += int64(r.pos)
	r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
	r.pos, w.summed = 0, 0
	for len(r.buf) < n && w.err == nil {
		var k int
		if k, w.err = readSome(w.src, r.buf[len(r.buf):cap(r.buf)]); k > 0 {
			r.buf = r.buf[:len(r.buf)+k]
		}
	}
	return len(r.buf) >= n
}

// errNoProgress is returned if a source repeatedly returns neither bytes nor an error.
var errNoProgress = errors.New("rdb: the source returns no bytes")

// readSome reads at least one byte, or returns an error.
func readSome(src io.Reader, p []byte) (n int, err error) {
	for range 100 {
		if n, err = src.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, errNoProgress
}

// takeMore is Take for more bytes than the buffer has.
func (r *Reader) takeMore(n uint64) []byte {
	switch {
	case r.Bad || r.w == nil:
		r.Bad = true
		return nil
	case n > windowSize:
		return r.takeLong(n)
	case !r.fill(int(n)):
		r.Bad, r.w.short = true, true
		return nil
	}
	b := r.buf[:n]
	r.pos = int(n)
	return b
}

// takeLong is Take for more bytes than the window has. Memory is allocated as they arrive.
func (r *Reader) takeLong(n uint64) []byte {
	w := r.w
	if n > w.limit {
		r.Bad = true
		return nil
	}
	w.add(r.buf[:r.pos])
	long := parts.New(int(n), r.buf[r.pos:])
	have := int64(long.Len())
	w.before += int64(r.pos)
	r.buf, r.pos, w.summed = r.buf[:0], 0, 0
	for !long.Whole() && w.err == nil {
		var k int
		k, w.err = readSome(w.src, long.Room())
		long.Fill(k)
	}
	if !long.Whole() {
		w.before += have
		r.Bad, w.short = true, true
		return nil
	}
	text := long.Take()
	if w.sum {
		w.crc = Checksum(w.crc, text)
	}
	w.before += int64(n)
	return text
}

// Skip skips n bytes.
func (r *Reader) Skip(n uint64) {
	for n > windowSize && !r.Bad {
		r.Take(windowSize)
		n -= windowSize
	}
	r.Take(n)
}

// SkipText skips a string in any of its forms, without decompressing it, and returns its length in
// bytes.
func (r *Reader) SkipText() uint64 {
	n, form := r.lengthOrForm()
	if !form {
		r.Skip(n)
		return n
	}
	switch n {
	case textInt8, textInt16, textInt32:
		return uint64(len(r.integer(n)))
	case textLZF:
		packed, size := r.Length(), r.Length()
		r.Skip(packed)
		return size
	}
	r.Fail()
	return 0
}
