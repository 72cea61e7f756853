package ziplist

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// ErrCorrupt is returned for bytes that are not a ziplist or not a zipmap.
var ErrCorrupt = errors.New("not a ziplist")

const (
	headerSize = 10
	end        = 0xff
	long       = 0xfe  // a length of 4 bytes follows
	uncounted  = 65535 // the entries must be counted
)

// Texts returns the entries of a ziplist, integers in decimal. Every byte is checked.
func Texts(zl []byte) ([]string, error) {
	last := len(zl) - 1
	if last < headerSize || int64(binary.LittleEndian.Uint32(zl)) != int64(len(zl)) || zl[last] != end {
		return nil, ErrCorrupt
	}
	tail := int64(binary.LittleEndian.Uint32(zl[4:]))
	if tail > int64(last) {
		return nil, ErrCorrupt
	}
	var out []string
	previous, size := 0, 0 // position and size of the previous entry
	p := headerSize
	for zl[p] != end {
		text, before, n, ok := entry(zl[:last], p)
		if !ok || before != int64(size) {
			return nil, ErrCorrupt
		}
		out = append(out, text)
		previous, size = p, n
		p += n
	}
	if p != last {
		return nil, ErrCorrupt
	}
	if size > 0 && int64(previous) != tail {
		return nil, ErrCorrupt
	}
	if n := int(binary.LittleEndian.Uint16(zl[8:])); n != uncounted && n != len(out) {
		return nil, ErrCorrupt
	}
	return out, nil
}

// entry reads the entry at p of a ziplist without its end byte: its text, the size of the previous
// entry that it states, and its own size.
func entry(zl []byte, p int) (text string, before int64, size int, ok bool) {
	b := zl[p:]
	before, head := int64(b[0]), 1
	if b[0] == long {
		if len(b) < 5 {
			return "", 0, 0, false
		}
		before, head = int64(binary.LittleEndian.Uint32(b[1:])), 5
	}
	text, n, ok := value(b[head:])
	return text, before, head + n, ok
}

// value reads an encoding and its data; n is their size in bytes.
func value(b []byte) (text string, n int, ok bool) {
	if len(b) == 0 {
		return "", 0, false
	}
	head, length := 1, int64(-1) // of a text: size of the encoding, length
	switch b[0] >> 6 {
	case 0:
		length = int64(b[0])
	case 1:
		if len(b) < 2 {
			return "", 0, false
		}
		head, length = 2, int64(b[0]&0x3f)<<8|int64(b[1])
	case 2:
		if len(b) < 5 {
			return "", 0, false
		}
		head, length = 5, int64(binary.BigEndian.Uint32(b[1:]))
	}
	if length >= 0 {
		if length > int64(len(b)-head) {
			return "", 0, false
		}
		n = head + int(length)
		return string(b[head:n]), n, true
	}
	v, n, ok := integer(b)
	return strconv.FormatInt(v, 10), n, ok
}

// integer reads an encoding of 0xC0 and above and its data.
func integer(b []byte) (v int64, n int, ok bool) {
	size := 0
	switch b[0] {
	case 0xfe:
		size = 1
	case 0xc0:
		size = 2
	case 0xf0:
		size = 3
	case 0xd0:
		size = 4
	case 0xe0:
		size = 8
	default:
		return int64(b[0]) - 0xf1, 1, b[0] >= 0xf1 && b[0] <= 0xfd
	}
	if len(b) <= size {
		return 0, 0, false
	}
	for i := size; i > 0; i-- {
		v = v<<8 | int64(b[i])
	}
	shift := 64 - 8*size
	return v << shift >> shift, 1 + size, true
}
