package structlib

import (
	"math"
	"slices"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

func (m *Library) pack(L *lua.LState) int {
	f := m.start(L)
	L.Push(lua.LNil) // error messages take the argument after the last one for nil
	b := m.buf[:0]
	held := m.Budget.Held()
	text := m.Budget.Text()
	arg := 1 // the last argument used
	for {
		opt, size, ok := f.next()
		if !ok {
			break
		}
		m.Budget.Work(L, 1)
		m.bound(L, &text, len(b)+longestOption)
		for n := f.padding(uint64(len(b)), opt, size); n > 0; n-- {
			b = append(b, 0)
		}
		switch opt {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			arg++
			b = f.appendInt(b, args.Uint64(m.Number(L, arg)), int(size))
		case 'f':
			arg++
			b = f.appendInt(b, uint64(math.Float32bits(float32(m.Number(L, arg)))), 4)
		case 'd':
			arg++
			b = f.appendInt(b, math.Float64bits(m.Number(L, arg)), 8)
		case 's':
			arg++
			s := m.Text(L, arg)
			m.bound(L, &text, len(b)+len(s)+1)
			b = append(append(b, s...), 0)
		case 'c':
			arg++
			s := m.Text(L, arg)
			if size == 0 {
				size = uint64(len(s))
			}
			if uint64(len(s)) < size {
				m.Bad(L, arg+1, "string too short") // off by one, as in the original
			}
			m.bound(L, &text, len(b)+int(size))
			b = append(b, s[:size]...)
		case 'x':
			b = append(b, 0)
		default:
			f.control(opt)
		}
	}
	m.Budget.Release(held)
	if cap(b) <= keptBuffer {
		m.buf = b
		L.Push(lua.LString(b))
		return 1
	}
	L.Push(lua.LString(unsafe.String(unsafe.SliceData(b), len(b)))) // b is not reused, so it need not be copied
	return 1
}

// longestOption is the largest number of bytes that an option other than a string adds, with
// padding.
const longestOption = 2 * maxIntSize

// bound must be called before the text grows to n bytes.
func (m *Library) bound(L *lua.LState, text *budget.Text, n int) {
	if !text.To(m.Budget, L, n) {
		m.TooLarge(L)
	}
}

// appendInt writes the low size bytes of n.
func (f *layout) appendInt(b []byte, n uint64, size int) []byte {
	start := len(b)
	for range size {
		b = append(b, byte(n))
		n >>= 8
	}
	if f.big {
		slices.Reverse(b[start:])
	}
	return b
}
