package bitop

import (
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Library is the library with its ties to the program around it. The zero value works.
type Library struct {
	args.Host
}

// functions lists the library in the order that pairs shows.
var functions = []args.Function[Library]{
	{Name: "tobit", Call: unary(func(x uint32) uint32 { return x })},
	{Name: "bnot", Call: unary(func(x uint32) uint32 { return ^x })},
	{Name: "band", Call: fold(func(x, y uint32) uint32 { return x & y })},
	{Name: "bor", Call: fold(func(x, y uint32) uint32 { return x | y })},
	{Name: "bxor", Call: fold(func(x, y uint32) uint32 { return x ^ y })},
	{Name: "lshift", Call: shift(func(x uint32, by int) uint32 { return x << by })},
	{Name: "rshift", Call: shift(func(x uint32, by int) uint32 { return x >> by })},
	{Name: "arshift", Call: shift(func(x uint32, by int) uint32 { return uint32(int32(x) >> by) })},
	{Name: "rol", Call: shift(bits.RotateLeft32)},
	{Name: "ror", Call: shift(func(x uint32, by int) uint32 { return bits.RotateLeft32(x, -by) })},
	{Name: "bswap", Call: unary(bits.ReverseBytes32)},
	{Name: "tohex", Call: (*Library).tohex},
}

// Open returns the table of the library.
func (m *Library) Open(L *lua.LState) *lua.LTable { return Table(args.Bind(L, m)) }

// Table returns the table of the library with values of its functions that value makes. It is for
// package luabridge.
func Table(value args.Maker[Library]) *lua.LTable {
	tb := tables.New(0, len(functions))
	for _, f := range functions {
		tables.SetString(tb, f.Name, value(f))
	}
	return tb
}

// word reads argument n as 32 bits.
func (m *Library) word(L *lua.LState, n int) uint32 {
	f := m.Number(L, n)
	if i := int32(f); float64(i) == f {
		return uint32(i)
	}
	// Adding 1.5*2^52 leaves the integer in the low bits of the sum. The addition rounds it.
	return uint32(math.Float64bits(f + (1<<52 + 1<<51)))
}

func push(L *lua.LState, x uint32) int {
	L.Push(lua.LNumber(int32(x)))
	return 1
}

func unary(op func(x uint32) uint32) func(m *Library, L *lua.LState) int {
	return func(m *Library, L *lua.LState) int { return push(L, op(m.word(L, 1))) }
}

func fold(op func(x, y uint32) uint32) func(m *Library, L *lua.LState) int {
	return func(m *Library, L *lua.LState) int {
		x := m.word(L, 1)
		for n := L.GetTop(); n > 1; n-- { // from the last one, so that errors name it
			x = op(x, m.word(L, n))
		}
		return push(L, x)
	}
}

// shift returns the function for an operation whose second operand is 0 to 31.
func shift(op func(x uint32, by int) uint32) func(m *Library, L *lua.LState) int {
	return func(m *Library, L *lua.LState) int {
		x := m.word(L, 1)
		return push(L, op(x, int(m.word(L, 2)&31)))
	}
}

func (m *Library) tohex(L *lua.LState) int {
	x, width, digits := m.word(L, 1), int32(8), "0123456789abcdef"
	if L.GetTop() > 1 {
		width = int32(m.word(L, 2))
	}
	if width < 0 {
		width, digits = -width, "0123456789ABCDEF"
	}
	if width < 0 || width > 8 { // the smallest integer has no positive counterpart
		width = 8
	}
	var out [8]byte
	for i := width - 1; i >= 0; i-- {
		out[i] = digits[x&15]
		x >>= 4
	}
	L.Push(lua.LString(out[:width]))
	return 1
}
