package strlib

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// MaxString is the length of the longest string that the library builds, in bytes: 512 MB, what Redis takes as a value.
const MaxString = 512 << 20

// maxResults is how many values a library function of Lua may have on the stack.
const maxResults = 8000

// Library is the module with its ties to the host. The zero value works. It belongs to one goroutine.
type Library struct {
	args.Host

	// Check, when set, is called every few thousand steps of a long call. It may end the call by raising an error.
	Check func(L *lua.LState)

	// Reserve, when set, is called before a long string of about so many bytes is built. It may end the call as well.
	Reserve func(L *lua.LState, n int)

	next    int // length of a string from which Reserve is asked
	max     int // length of the longest string to build
	matcher matcher
	buf     []byte // the string being built; reused
	boxes   boxes.Boxes
}

// reserveFrom is the length in bytes of the strings before which Reserve is asked.
const reserveFrom = 1 << 20

// keptBuffer bounds what of buf is kept between calls, in bytes.
const keptBuffer = 1 << 16

// functions is how many names the library registers.
const functions = 15

// Open makes the module's table.
func (m *Library) Open(L *lua.LState) *lua.LTable {
	m.max, m.matcher.lib = MaxString, m
	tb := tables.New(0, functions)
	add := func(name string, fn lua.LGFunction) { tables.SetString(tb, name, L.NewFunction(fn)) }
	// The order shows in pairs.
	add("byte", m.byte)
	add("char", m.char)
	add("dump", m.dump)
	add("find", m.find)
	add("format", m.format)
	add("gfind", m.gmatch)
	add("gmatch", m.gmatch)
	add("gsub", m.gsub)
	add("len", m.len)
	add("lower", m.lower)
	add("match", m.match)
	add("rep", m.rep)
	add("reverse", m.reverse)
	add("sub", m.sub)
	add("upper", m.upper)
	tables.SetString(tb, "gfind", tb.RawGetString("gmatch")) // one function with two names
	return tb
}

// integer reads argument n as C's ptrdiff_t.
func (m *Library) integer(L *lua.LState, n int) int64 {
	if f, ok := L.Get(n).(lua.LNumber); ok {
		if i := int32(f); float64(i) == float64(f) {
			return int64(i)
		}
	}
	return args.Int64(m.Number(L, n))
}

// optional is integer with a value for nil and nothing.
func (m *Library) optional(L *lua.LState, n int, absent int64) int64 {
	if L.Get(n) == lua.LNil {
		return absent
	}
	return m.integer(L, n)
}

// position turns an index that may count from the end into one from the start; what lies before the start is 0.
func position(i int64, length int) int64 {
	if i < 0 {
		i += int64(length) + 1
	}
	return max(i, 0)
}

// take lends the buffer, emptied. Until it is given back another call, which a replacement function may make, gets
// one of its own.
func (m *Library) take() []byte {
	b := m.buf
	m.buf, m.next = nil, reserveFrom
	return b[:0]
}

// give takes the buffer back and returns what it holds as a value.
func (m *Library) give(b []byte) lua.LValue {
	var v lua.LValue
	if len(b) == 1 {
		v = boxes.Byte(b[0])
	} else if len(b) >= reserveFrom { // not kept, and so not copied
		return lua.LString(unsafe.String(unsafe.SliceData(b), len(b)))
	} else {
		v = m.boxes.String(string(b))
	}
	if cap(b) <= keptBuffer {
		m.buf = b
	}
	return v
}

// bound ends the call when a string of n bytes is too long to build.
func (m *Library) bound(L *lua.LState, n int) {
	if n > m.max {
		m.Error(L, "resulting string too large")
	}
	if n >= m.next && n >= reserveFrom {
		m.next = 2 * n
		if m.Reserve != nil {
			m.Reserve(L, n)
		}
	}
}

// checked calls f for pieces of at most a MB of n bytes, and looks for who wants to end the call in between.
func (m *Library) checked(L *lua.LState, n int, f func(from, to int)) {
	const piece = 1 << 20
	for from := 0; from < n; from += piece {
		f(from, min(from+piece, n))
		if n > piece {
			m.check(L)
		}
	}
}

func (m *Library) check(L *lua.LState) {
	if m.Check != nil {
		m.Check(L)
	}
}

// dump refuses: there is no bytecode of Lua's to give.
func (m *Library) dump(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LFunction); !ok {
		return m.Type(L, 1, "function")
	}
	return m.Error(L, "unable to dump given function")
}
