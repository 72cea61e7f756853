package structlib

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxIntSize = 32 // bytes of iN and IN
	maxAlign   = 8  // the alignment of ! without a number
)

// layout reads a format.
type layout struct {
	m      *Library
	L      *lua.LState
	format string
	at     int // index of the byte after the current option and the digits read so far
	big    bool
	align  uint64
}

// start reads argument 1, the format. It ends at its first zero byte.
func (m *Library) start(L *lua.LState) layout {
	format, _, _ := strings.Cut(m.Text(L, 1), "\x00")
	return layout{m: m, L: L, format: format, align: 1}
}

// next returns the next option with its size. The size is 0 for options that have none yet.
func (f *layout) next() (opt byte, size uint64, ok bool) {
	if f.at >= len(f.format) {
		return 0, 0, false
	}
	opt = f.format[f.at]
	f.at++
	switch opt {
	case 'b', 'B', 'x':
		return opt, 1, true
	case 'h', 'H':
		return opt, 2, true
	case 'f':
		return opt, 4, true
	case 'l', 'L', 'T', 'd':
		return opt, 8, true
	case 'c':
		return opt, f.number(1), true
	case 'i', 'I':
		size = f.number(4)
		if size > maxIntSize {
			f.m.Error(f.L, "integral size %d is larger than limit of %d", size, maxIntSize)
		}
		return opt, size, true
	}
	return opt, 0, true
}

// number reads the digits after an option.
func (f *layout) number(absent uint64) uint64 {
	start, n := f.at, uint64(0)
	for ; f.at < len(f.format) && f.format[f.at]-'0' <= 9; f.at++ {
		n = n*10 + uint64(f.format[f.at]-'0')
		if n > math.MaxInt32 {
			f.m.Error(f.L, "integral size overflow")
		}
	}
	if f.at == start {
		return absent
	}
	return n
}

// padding returns the number of bytes before an option at offset pos. The mask is the rule, also
// for sizes that are not a power of 2.
func (f *layout) padding(pos uint64, opt byte, size uint64) uint64 {
	align := min(size, f.align)
	if opt == 'c' || align < 2 {
		return 0
	}
	return (align - pos&(align-1)) & (align - 1)
}

// control applies an option without a value.
func (f *layout) control(opt byte) {
	switch opt {
	case ' ':
	case '<', '>':
		f.big = opt == '>'
	case '!':
		f.setAlign()
	default:
		f.m.Bad(f.L, 1, "invalid format option '"+string([]byte{opt})+"'")
	}
}

func (f *layout) setAlign() {
	n := f.number(maxAlign)
	if n == 0 || n&(n-1) != 0 {
		f.m.Error(f.L, "alignment %d is not a power of 2", n)
	}
	f.align = n
}
