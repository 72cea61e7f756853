package rdb

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/lzf"
	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// Reader reads the elements of the format. On malformed input it sets Bad and returns zeros from
// then on.
//
// It does not trust lengths that it reads: nothing is allocated for elements before they are read.
type Reader struct {
	Bad bool // the input is malformed
	buf []byte
	pos int
	w   *window // refills buf; nil if buf is the whole input
}

// NewReader returns a reader of b.
func NewReader(b []byte) Reader { return Reader{buf: b} }

// Pos returns the number of bytes of the buffer that have been read. See also [Reader.Offset].
func (r *Reader) Pos() int { return r.pos }

// Fail marks the dump as malformed.
func (r *Reader) Fail() { r.Bad = true }

// Take returns the next n bytes, or nil if there are fewer. If the reader has a source, they are
// valid until the next read.
func (r *Reader) Take(n uint64) []byte {
	if r.Bad || n > uint64(len(r.buf)-r.pos) {
		return r.takeMore(n)
	}
	b := r.buf[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// Next returns the byte that [Reader.Byte] reads next, 0 at the end.
func (r *Reader) Next() byte {
	if r.pos == len(r.buf) && !r.fill(1) {
		return 0
	}
	return r.buf[r.pos]
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Length reads a length or another non-negative number.
func (r *Reader) Length() uint64 {
	n, _ := r.lengthOrForm()
	return n
}

// lengthOrForm is Length, but form is true if n is not a length but the form of the string that
// follows.
func (r *Reader) lengthOrForm() (n uint64, form bool) {
	first := r.Byte()
	switch first & 0xc0 {
	case len6:
		return uint64(first), false
	case len14:
		return uint64(first&0x3f)<<8 | uint64(r.Byte()), false
	case lenSpecial:
		return uint64(first & 0x3f), true
	}
	switch first {
	case len32:
		if b := r.Take(4); b != nil {
			return uint64(binary.BigEndian.Uint32(b)), false
		}
	case len64:
		if b := r.Take(8); b != nil {
			n = binary.BigEndian.Uint64(b)
		}
		if n == math.MaxUint64 { // Redis's error value
			r.Fail()
		}
		return n, false
	default:
		r.Fail()
	}
	return 0, false
}

// Int64 reads a number of 8 bytes.
func (r *Reader) Int64() int64 {
	if b := r.Take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// Int32 reads a number of 4 bytes.
func (r *Reader) Int32() int64 {
	if b := r.Take(4); b != nil {
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

// Double reads a binary float of 8 bytes.
func (r *Reader) Double() float64 { return math.Float64frombits(uint64(r.Int64())) }

// DoubleText reads a float in decimal. Its first byte is the length, or stands for NaN or an
// infinity.
func (r *Reader) DoubleText() float64 {
	switch n := r.Byte(); n {
	case 255:
		return math.Inf(-1)
	case 254:
		return math.Inf(1)
	case 253:
		return math.NaN()
	default:
		f, ok := readFloat(string(r.Take(uint64(n))))
		if !ok {
			r.Fail()
		}
		return f
	}
}

// Text reads a string in any of its forms.
func (r *Reader) Text() string {
	n, form := r.lengthOrForm()
	switch {
	case r.Bad:
		return ""
	case form && n <= textInt32:
		return r.integer(n)
	case form && n == textLZF:
		return owned(r.compressed())
	case !form && n > windowSize && r.w != nil:
		return owned(r.Take(n)) // nobody else keeps these bytes
	}
	return string(r.blob(n, form))
}

// Blob reads a string. The result may be a part of the dump: the caller must not change it. If the
// reader has a source, it is valid until the next read.
func (r *Reader) Blob() []byte {
	n, form := r.lengthOrForm()
	if r.Bad {
		return nil
	}
	return r.blob(n, form)
}

// OwnBlob is Blob, but the result belongs to the caller.
func (r *Reader) OwnBlob() []byte {
	n, form := r.lengthOrForm()
	if r.Bad {
		return nil
	}
	b := r.blob(n, form)
	if !form {
		b = bytes.Clone(b)
	}
	return b
}

// owned returns b as a string. Nobody may change b afterwards.
func owned(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (r *Reader) blob(n uint64, form bool) []byte {
	if !form {
		return r.Take(n)
	}
	switch n {
	case textInt8, textInt16, textInt32:
		return []byte(r.integer(n))
	case textLZF:
		return r.compressed()
	}
	r.Fail()
	return nil
}

// integer reads a string that is stored as an integer in that form.
func (r *Reader) integer(form uint64) string {
	n := int64(0)
	switch form {
	case textInt8:
		n = int64(int8(r.Byte()))
	case textInt16:
		if b := r.Take(2); b != nil {
			n = int64(int16(binary.LittleEndian.Uint16(b)))
		}
	case textInt32:
		if b := r.Take(4); b != nil {
			n = int64(int32(binary.LittleEndian.Uint32(b)))
		}
	}
	return decimal.Format(n)
}

func (r *Reader) compressed() []byte {
	packed, size := r.Length(), r.Length()
	z := r.Take(packed)
	if r.Bad || size > math.MaxInt32 || r.w != nil && size > r.w.limit {
		r.Fail()
		return nil
	}
	if size == 0 { // as in Redis, where it cannot be distinguished from an error
		return []byte{}
	}
	text, ok := lzf.Decompress(z, int(size))
	if !ok {
		r.Fail()
	}
	return text
}

// Number reads any 64-bit number. As in Redis, the result is the greatest one if the first byte
// does not begin a length.
func (r *Reader) Number() uint64 {
	if r.pos == len(r.buf) && !r.fill(1) {
		return r.Length()
	}
	switch first := r.buf[r.pos]; {
	case first == len64:
		if b := r.Take(9); b != nil {
			return binary.BigEndian.Uint64(b[1:])
		}
		return 0
	case first&0xc0 == 0x80 && first != len32:
		r.pos++
		return math.MaxUint64
	}
	return r.Length()
}
