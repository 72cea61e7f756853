package datastore

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/lzf"
)

// rdbWriter writes values in Redis's RDB format.
type rdbWriter struct {
	buf []byte
	opt DumpOptions
}

// The forms of a length, in the upper two bits of its first byte, and of what stands in its place.
const (
	len6       = 0x00
	len14      = 0x40
	len32      = 0x80
	len64      = 0x81
	lenSpecial = 0xc0 // no length: the lower bits say what follows

	textInt8  = 0
	textInt16 = 1
	textInt32 = 2
	textLZF   = 3
)

// byte writes one byte.
func (w *rdbWriter) byte(b byte) { w.buf = append(w.buf, b) }

// length writes a length or any other number that is not negative.
func (w *rdbWriter) length(n uint64) {
	switch {
	case n < 1<<6:
		w.buf = append(w.buf, len6|byte(n))
	case n < 1<<14:
		w.buf = append(w.buf, len14|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		w.buf = binary.BigEndian.AppendUint32(append(w.buf, len32), uint32(n))
	default:
		w.buf = binary.BigEndian.AppendUint64(append(w.buf, len64), n)
	}
}

// int64 writes a number in 8 bytes, such as a time in ms.
func (w *rdbWriter) int64(n int64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(n)) }

// double writes a float in 8 bytes.
func (w *rdbWriter) double(f float64) { w.int64(int64(math.Float64bits(f))) }

// text writes a string: as an integer of up to 32 bits where it is one, compressed, or as it is.
func (w *rdbWriter) text(s string) {
	if n, ok := ParseInt(s); ok && len(s) <= 11 && w.int(n) {
		return
	}
	w.bytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// blob writes bytes that are no text: a listpack, an intset. They are compressed as texts are.
func (w *rdbWriter) blob(b []byte) {
	if len(b) <= 11 {
		w.text(string(b))
		return
	}
	w.bytes(b)
}

// bytes writes bytes that are no integer.
func (w *rdbWriter) bytes(b []byte) {
	if w.opt.Compress && len(b) > 20 {
		if z := lzf.Compress(b, len(b)-4); z != nil {
			w.packed(z, len(b))
			return
		}
	}
	w.length(uint64(len(b)))
	w.buf = append(w.buf, b...)
}

// packed writes the compressed form of size bytes.
func (w *rdbWriter) packed(z []byte, size int) {
	w.byte(lenSpecial | textLZF)
	w.length(uint64(len(z)))
	w.length(uint64(size))
	w.buf = append(w.buf, z...)
}

// int writes the text of an integer that fits into 32 bits, and reports whether n does.
func (w *rdbWriter) int(n int64) bool {
	switch {
	case n >= math.MinInt8 && n <= math.MaxInt8:
		w.buf = append(w.buf, lenSpecial|textInt8, byte(n))
	case n >= math.MinInt16 && n <= math.MaxInt16:
		w.buf = binary.LittleEndian.AppendUint16(append(w.buf, lenSpecial|textInt16), uint16(n))
	case n >= math.MinInt32 && n <= math.MaxInt32:
		w.buf = binary.LittleEndian.AppendUint32(append(w.buf, lenSpecial|textInt32), uint32(n))
	default:
		return false
	}
	return true
}

// intText writes the text of any integer that a string is kept as. One of more than 32 bits is written as it
// is, however long.
func (w *rdbWriter) intText(n int64) {
	if !w.int(n) {
		s := strconv.FormatInt(n, 10)
		w.length(uint64(len(s)))
		w.buf = append(w.buf, s...)
	}
}
