package structlib

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// maxStack is the number of values that a C function of Lua can hold: arguments, results and two
// more.
const maxStack = 8000

// unpack pushes the values and the position after them. Positions are unsigned, so negative ones
// are far beyond the end.
func (m *Library) unpack(L *lua.LState) int {
	f := m.start(L)
	data := m.Text(L, 2)
	pos := m.position(L) - 1
	length := uint64(len(data))
	given, count := L.GetTop(), 0
	for {
		opt, size, ok := f.next()
		if !ok {
			break
		}
		m.Budget.Work(L, 1)
		pos += f.padding(pos, opt, size)
		f.need(size <= length && pos <= length-size)
		if given+count+2 > maxStack {
			m.Error(L, "stack overflow (too many results)")
		}
		switch opt {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			L.Push(number(f.word(data[pos:pos+size]), size, opt >= 'a'))
			count++
		case 'f':
			L.Push(lua.LNumber(math.Float32frombits(uint32(f.word(data[pos : pos+4])))))
			count++
		case 'd':
			L.Push(lua.LNumber(math.Float64frombits(f.word(data[pos : pos+8]))))
			count++
		case 's':
			size = f.terminated(data[pos:])
			L.Push(m.piece(L, data, data[pos:pos+size-1]))
			count++
		case 'c':
			if size == 0 {
				size = f.previous(count)
				L.Pop(1)
				count--
				f.need(size <= length && pos <= length-size)
			}
			L.Push(m.piece(L, data, data[pos:pos+size]))
			count++
		case 'x':
		default:
			f.control(opt)
		}
		pos += size
	}
	L.Push(lua.LNumber(int64(pos + 1)))
	return count + 1
}

// piece makes a value of s, a part of data.
func (m *Library) piece(L *lua.LState, data, s string) lua.LValue {
	m.Budget.Ask(L, len(s))
	return m.boxes.Piece(data, s)
}

// position reads argument 3, the start. It is 1 if the argument is missing or nil.
func (m *Library) position(L *lua.LState) uint64 {
	if L.Get(3) == lua.LNil {
		return 1
	}
	pos := uint64(args.Int64(m.Number(L, 3)))
	if pos == 0 {
		m.Bad(L, 3, "offset must be 1 or greater")
	}
	return pos
}

func (f *layout) need(enough bool) {
	if !enough {
		f.m.Bad(f.L, 2, "data string too short")
	}
}

// terminated returns the length of the string at the start of data, including its zero byte.
func (f *layout) terminated(data string) uint64 {
	end := strings.IndexByte(data, 0)
	if end < 0 {
		f.m.Error(f.L, "unfinished string in data")
	}
	return uint64(end) + 1
}

// previous returns the size for c0: the last of count results.
func (f *layout) previous(count int) uint64 {
	if count > 0 {
		if n, ok := args.Number(f.L.Get(-1)); ok {
			return args.Uint64(n)
		}
	}
	f.m.Error(f.L, "format 'c0' needs a previous size")
	return 0
}

// word reads all of b. Only the low 8 bytes count.
func (f *layout) word(b string) uint64 {
	n := uint64(0)
	for i := range len(b) {
		if f.big {
			n = n<<8 | uint64(b[i])
		} else {
			n = n<<8 | uint64(b[len(b)-1-i])
		}
	}
	return n
}

// number returns the integer for n, which was read from size bytes.
func number(n, size uint64, signed bool) lua.LNumber {
	if !signed {
		return lua.LNumber(n)
	}
	// With more than 8 bytes, the sign's bit is taken modulo 64, as the processor shifts.
	if sign := ^uint64(0) << ((size*8 - 1) & 63); n&sign != 0 {
		n |= sign
	}
	return lua.LNumber(int64(n))
}
