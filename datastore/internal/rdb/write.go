package rdb

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/lzf"
	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// Writer writes the elements of the format. The zero Writer is ready; it does not compress.
type Writer struct {
	Compress bool // compress strings of more than 20 bytes if that makes them shorter
	// Pause, if it is set, is called between the elements and the parts of a value, each time about
	// [PauseBytes] more have been written or compressed. It may take what has been written
	// ([Writer.Buffer], [Writer.Reset]).
	Pause func()
	work  int // bytes written or compressed since the last Pause
	buf   []byte
}

// PauseBytes is the number of bytes between two calls of Pause.
const PauseBytes = 16 << 10

// Buffer returns what has been written since the last Reset. It is valid until the next write.
func (w *Writer) Buffer() []byte { return w.buf }

// Reset forgets what has been written and keeps the memory for what follows.
func (w *Writer) Reset() { w.buf = w.buf[:0] }

// did counts n bytes of work and calls Pause if it is time.
func (w *Writer) did(n int) {
	if w.work += n; w.work >= PauseBytes && w.Pause != nil {
		w.work = 0
		w.Pause()
	}
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

// Byte writes one byte.
func (w *Writer) Byte(b byte) { w.buf = append(w.buf, b) }

// Length writes a length or another non-negative number.
func (w *Writer) Length(n uint64) {
	w.work += 4
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

// Int64 writes a number in 8 bytes, for example a time in ms.
func (w *Writer) Int64(n int64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(n)) }

// Double writes a float in 8 bytes.
func (w *Writer) Double(f float64) { w.Int64(int64(math.Float64bits(f))) }

// Text writes a string: as an integer if it is one of at most 32 bits, else compressed with
// Compress, else as it is.
func (w *Writer) Text(s string) {
	if n, ok := decimal.Parse(s); ok && len(s) <= 11 && w.int(n) {
		w.did(5)
		return
	}
	w.Bytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// Blob writes a listpack or an intset, compressed with Compress.
func (w *Writer) Blob(b []byte) {
	if len(b) <= 11 {
		w.Text(string(b))
		return
	}
	w.Bytes(b)
}

// Bytes writes a string that is not written as an integer.
func (w *Writer) Bytes(b []byte) {
	if w.Compress && len(b) > 20 {
		if z := lzf.CompressPausing(b, len(b)-4, w.compressing(len(b))); z != nil {
			w.Packed(z, len(b))
			return
		}
	}
	w.Length(uint64(len(b)))
	w.Raw(b)
}

// compressing returns what the compressor of n bytes calls between its parts.
func (w *Writer) compressing(n int) func() {
	if w.Pause == nil || n < 2*PauseBytes {
		return nil
	}
	return w.Pause
}

// Packed writes the compressed form of size bytes.
func (w *Writer) Packed(z []byte, size int) {
	w.Byte(lenSpecial | textLZF)
	w.Length(uint64(len(z)))
	w.Length(uint64(size))
	w.Raw(z)
}

// int writes n as an integer if it fits into 32 bits, and reports whether it does.
func (w *Writer) int(n int64) bool {
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

// IntText writes the text of a string that is kept as an integer. A text of more than 32 bits is
// never compressed.
func (w *Writer) IntText(n int64) {
	if !w.int(n) {
		s := strconv.FormatInt(n, 10)
		w.Length(uint64(len(s)))
		w.buf = append(w.buf, s...)
	}
}

// Raw writes bytes as they are.
func (w *Writer) Raw(b []byte) {
	for w.Pause != nil && len(b) > PauseBytes {
		w.buf = append(w.buf, b[:PauseBytes]...)
		b = b[PauseBytes:]
		w.did(PauseBytes)
	}
	w.buf = append(w.buf, b...)
	w.did(len(b))
}

// RawText writes a text as it is.
func (w *Writer) RawText(s string) { w.Raw(unsafe.Slice(unsafe.StringData(s), len(s))) }

// Len returns the number of bytes written.
func (w *Writer) Len() int { return len(w.buf) }
