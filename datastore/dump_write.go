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

// The forms of a length, in the upper two bits of its first byte, and the special forms of a
// string.
const (
	len6       = 0x00
	len14      = 0x40
	len32      = 0x80
	len64      = 0x81
	lenSpecial = 0xc0 // not a length: the lower bits are the form of the string that follows

	textInt8  = 0
	textInt16 = 1
	textInt32 = 2
	textLZF   = 3
)

// byte writes one byte.
func (w *rdbWriter) byte(b byte) { w.buf = append(w.buf, b) }

// length writes a length or another non-negative number.
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

// int64 writes a number in 8 bytes, for example a time in ms.
func (w *rdbWriter) int64(n int64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(n)) }

// double writes a float in 8 bytes.
func (w *rdbWriter) double(f float64) { w.int64(int64(math.Float64bits(f))) }

// text writes a string: as an integer if it is one of at most 32 bits, else compressed if the
// options say so, else as it is.
func (w *rdbWriter) text(s string) {
	if n, ok := ParseInt(s); ok && len(s) <= 11 && w.int(n) {
		return
	}
	w.bytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// blob writes a listpack or an intset, compressed if the options say so.
func (w *rdbWriter) blob(b []byte) {
	if len(b) <= 11 {
		w.text(string(b))
		return
	}
	w.bytes(b)
}

// bytes writes a string that is not written as an integer.
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

// int writes n as an integer if it fits into 32 bits, and reports whether it does.
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

// intText writes the text of a string that is kept as an integer. A text of more than 32 bits is
// never compressed.
func (w *rdbWriter) intText(n int64) {
	if !w.int(n) {
		s := strconv.FormatInt(n, 10)
		w.length(uint64(len(s)))
		w.buf = append(w.buf, s...)
	}
}
