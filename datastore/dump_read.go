package datastore

import (
	"encoding/binary"
	"math"

	"github.com/redmoon-lua/redmoon/datastore/internal/lzf"
)

// rdbReader reads values in Redis's RDB format. On malformed input it sets bad and returns zeros
// from then on.
//
// It does not trust lengths that it reads: nothing is allocated for elements before they are read.
type rdbReader struct {
	st  *Store
	buf []byte
	pos int
	bad bool

	version int // of the RDB format
}

// fail marks the dump as malformed.
func (r *rdbReader) fail() { r.bad = true }

// take returns the next n bytes, or nil if there are fewer.
func (r *rdbReader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.buf)-r.pos) {
		r.bad = true
		return nil
	}
	b := r.buf[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

func (r *rdbReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// length reads a length or another non-negative number.
func (r *rdbReader) length() uint64 {
	n, _ := r.lengthOrForm()
	return n
}

// lengthOrForm is length, but form is true if n is not a length but the form of the string that
// follows.
func (r *rdbReader) lengthOrForm() (n uint64, form bool) {
	first := r.byte()
	switch first & 0xc0 {
	case len6:
		return uint64(first), false
	case len14:
		return uint64(first&0x3f)<<8 | uint64(r.byte()), false
	case lenSpecial:
		return uint64(first & 0x3f), true
	}
	switch first {
	case len32:
		if b := r.take(4); b != nil {
			return uint64(binary.BigEndian.Uint32(b)), false
		}
	case len64:
		if b := r.take(8); b != nil {
			n = binary.BigEndian.Uint64(b)
		}
		if n == math.MaxUint64 { // Redis's error value
			r.fail()
		}
		return n, false
	default:
		r.fail()
	}
	return 0, false
}

// int64 reads a number of 8 bytes.
func (r *rdbReader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// double reads a binary float of 8 bytes.
func (r *rdbReader) double() float64 { return math.Float64frombits(uint64(r.int64())) }

// doubleText reads a float in decimal. Its first byte is the length, or stands for NaN or an
// infinity.
func (r *rdbReader) doubleText() float64 {
	switch n := r.byte(); n {
	case 255:
		return math.Inf(-1)
	case 254:
		return math.Inf(1)
	case 253:
		return math.NaN()
	default:
		f, ok := scanFloat(string(r.take(uint64(n))))
		if !ok {
			r.fail()
		}
		return f
	}
}

// text reads a string in any of its forms.
func (r *rdbReader) text() string {
	return string(r.blob())
}

// blob reads a string. The result may be a part of the dump: the caller must not change it.
func (r *rdbReader) blob() []byte {
	n, form := r.lengthOrForm()
	if r.bad {
		return nil
	}
	if !form {
		return r.take(n)
	}
	switch n {
	case textInt8:
		return []byte(FormatInt(int64(int8(r.byte()))))
	case textInt16:
		if b := r.take(2); b != nil {
			return []byte(FormatInt(int64(int16(binary.LittleEndian.Uint16(b)))))
		}
	case textInt32:
		if b := r.take(4); b != nil {
			return []byte(FormatInt(int64(int32(binary.LittleEndian.Uint32(b)))))
		}
	case textLZF:
		return r.compressed()
	default:
		r.fail()
	}
	return nil
}

func (r *rdbReader) compressed() []byte {
	packed, size := r.length(), r.length()
	z := r.take(packed)
	if r.bad || size > math.MaxInt32 {
		r.fail()
		return nil
	}
	if size == 0 { // as in Redis, where it cannot be distinguished from an error
		return []byte{}
	}
	text, ok := lzf.Decompress(z, int(size))
	if !ok {
		r.fail()
	}
	return text
}
