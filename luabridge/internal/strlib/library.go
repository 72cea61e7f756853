package strlib

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// maxResults is how many values a library function of Lua may have on the stack.
const maxResults = 8000

// Library is the library with its ties to the program around it. The zero value works. It belongs
// to one goroutine.
type Library struct {
	args.Host

	matcher *matcher // nil until matching
	buf     []byte   // the string being built; reused
	boxes   boxes.Boxes
	// Dump returns the bytes of string.dump for a function, or false if the function is not a Lua
	// function. If nil, there is no string.dump.
	Dump func(*lua.LState, *lua.LFunction) (string, bool)
}

// large is the length in bytes from which a string is processed in pieces and not copied from the
// buffer.
const large = 1 << 20

// keptBuffer is the largest buffer that is kept between calls, in bytes.
const keptBuffer = 1 << 16

// functions lists the library in the order that pairs shows. gfind is gmatch under another name.
var functions = []args.Function[Library]{
	{Name: "byte", Call: (*Library).byte},
	{Name: "char", Call: (*Library).char},
	{Name: "dump", Call: (*Library).dump},
	{Name: "find", Call: (*Library).find},
	{Name: "format", Call: (*Library).format},
	{Name: "gfind"},
	{Name: "gmatch", Call: (*Library).gmatch},
	{Name: "gsub", Call: (*Library).gsub},
	{Name: "len", Call: (*Library).len},
	{Name: "lower", Call: (*Library).lower},
	{Name: "match", Call: (*Library).match},
	{Name: "rep", Call: (*Library).rep},
	{Name: "reverse", Call: (*Library).reverse},
	{Name: "sub", Call: (*Library).sub},
	{Name: "upper", Call: (*Library).upper},
}

// Open returns the table of the library.
func (m *Library) Open(L *lua.LState) *lua.LTable { return Table(args.Bind(L, m)) }

// Table returns the table of the library, with the values of its functions.
func Table(value args.Maker[Library]) *lua.LTable {
	tb := tables.New(0, len(functions))
	for _, f := range functions {
		if f.Call == nil {
			tables.SetString(tb, f.Name, lua.LTrue) // its place
			continue
		}
		tables.SetString(tb, f.Name, value(f))
	}
	tables.SetString(tb, "gfind", tb.RawGetString("gmatch"))
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

// optional is integer with a default for nil and a missing argument.
func (m *Library) optional(L *lua.LState, n int, absent int64) int64 {
	v := L.Get(n)
	if f, ok := v.(lua.LNumber); ok {
		if i := int32(f); float64(i) == float64(f) {
			return int64(i)
		}
	}
	if v == lua.LNil {
		return absent
	}
	return m.integer(L, n)
}

// position turns an index that may count from the end into one from the start. It returns 0 for
// positions before the start.
func position(i int64, length int) int64 {
	if i < 0 {
		i += int64(length) + 1
	}
	return max(i, 0)
}

// matching returns the matcher.
func (m *Library) matching() *matcher {
	if m.matcher == nil {
		m.matcher = &matcher{lib: m}
	}
	return m.matcher
}

// Forget drops what is remembered of an earlier search. An error in a function that gsub calls
// leaves the subject.
func (m *Library) Forget() {
	if m.matcher != nil {
		m.matcher.end()
		if len(m.matcher.pat) > keptPattern {
			m.matcher.learn("")
		}
	}
}

// keptPattern is the length in bytes of the longest pattern that is kept between runs.
const keptPattern = 1 << 10

// take returns the buffer, emptied. Until give is called, another call, which a replacement
// function may make, gets a buffer of its own.
func (m *Library) take() []byte {
	b := m.buf
	m.buf = nil
	return b[:0]
}

// give returns the contents of the buffer as a value, and keeps the buffer.
func (m *Library) give(b []byte) lua.LValue {
	var v lua.LValue
	if len(b) == 1 {
		v = boxes.Byte(b[0])
	} else if len(b) >= large { // b is not reused, so it need not be copied
		return lua.LString(unsafe.String(unsafe.SliceData(b), len(b)))
	} else {
		v = m.boxes.String(string(b))
	}
	if cap(b) <= keptBuffer {
		m.buf = b
	}
	return v
}

// bound must be called before the text t grows to n bytes.
func (m *Library) bound(L *lua.LState, t *budget.Text, n int) {
	if !t.To(m.Budget, L, n) {
		m.TooLarge(L)
	}
}

// ask checks the budget before a function that calls no other makes a string of n bytes.
func (m *Library) ask(L *lua.LState, n int) {
	if !m.Budget.Fits(n) {
		m.TooLarge(L)
	}
	m.Budget.Ask(L, n)
}

// piece makes a value of s, a part of whole.
func (m *Library) piece(L *lua.LState, whole, s string) lua.LValue {
	if len(s) > boxes.Block {
		m.askPiece(L, len(s))
	}
	return m.boxes.Piece(whole, s)
}

func (m *Library) askPiece(L *lua.LState, n int) {
	m.Budget.Ask(L, n)
	m.Budget.Work(L, n>>bytesPerStep)
}

// checked calls f for pieces of at most 1 MB of n bytes. It serves interrupts in between.
func (m *Library) checked(L *lua.LState, n int, f func(from, to int)) {
	const piece = 1 << 20
	for from := 0; from < n; from += piece {
		f(from, min(from+piece, n))
		m.Budget.Work(L, (min(from+piece, n)-from)>>bytesPerStep)
	}
}

// bytesPerStep is log2 of the number of bytes that are copied or compared for one step of
// [budget.Budget.Work].
const bytesPerStep = 8

// dump is string.dump(function).
func (m *Library) dump(L *lua.LState) int {
	fn, ok := L.Get(1).(*lua.LFunction)
	if !ok {
		return m.Type(L, 1, "function")
	}
	if m.Dump != nil {
		if text, ok := m.Dump(L, fn); ok {
			L.Push(lua.LString(text))
			return 1
		}
	}
	return m.Error(L, "unable to dump given function")
}
