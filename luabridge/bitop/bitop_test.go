package bitop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func newState(t testing.TB) *lua.LState {
	L := lua.NewState()
	t.Cleanup(L.Close)
	var lib Library
	L.SetGlobal("bit", lib.Open(L))
	return L
}

func TestResults(t *testing.T) {
	L := newState(t)
	for code, want := range map[string]string{
		"bit.tobit(4294967295)":     "-1",
		"bit.tobit(2.5)":            "2",
		"bit.tobit(-1.5)":           "-2",
		"bit.tobit(1e16)":           "937459712",
		"bit.tobit(1/0)":            "0",
		"bit.tobit('0x10')":         "16",
		"bit.bnot(0)":               "-1",
		"bit.band(255, 60, 24)":     "24",
		"bit.bor(1, 2, 4)":          "7",
		"bit.bxor(5, 1)":            "4",
		"bit.lshift(1, 33)":         "2",
		"bit.rshift(-1, 28)":        "15",
		"bit.arshift(-8, 1)":        "-4",
		"bit.rol(1, -1)":            "-2147483648",
		"bit.ror(2, 1)":             "1",
		"bit.bswap(16)":             "268435456",
		"bit.tohex(255)":            "000000ff",
		"bit.tohex(255, -2)":        "FF",
		"bit.tohex(255, 0)":         "",
		"bit.tohex(1, -2147483648)": "00000001",
		"select(2, pcall(function() bit.bnot() end))": "<string>:1: bad argument #1 to '?' (number expected, got no value)",
	} {
		require.NoError(t, L.DoString("return "+code), code)
		assert.Equal(t, want, L.Get(-1).String(), code)
		L.Pop(1)
	}
}

func BenchmarkBand(b *testing.B) {
	L := newState(b)
	fn, err := L.LoadString("local band, x = bit.band, 0 for i = 1, 1000 do x = band(i, 255) end return x")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		L.Push(fn)
		L.Call(0, 0)
	}
}
