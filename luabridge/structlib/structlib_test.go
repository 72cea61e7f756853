package structlib

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func newState(t testing.TB) *lua.LState {
	L := lua.NewState(lua.Options{RegistryMaxSize: 1 << 16})
	t.Cleanup(L.Close)
	var lib Library
	L.SetGlobal("struct", lib.Open(L))
	return L
}

func TestResults(t *testing.T) {
	L := newState(t)
	for code, want := range map[string]string{
		"struct.pack('>i4', 258)":                                    "\x00\x00\x01\x02",
		"struct.pack('!4bi3', 1, 2)":                                 "\x01\x00\x00\x02\x00\x00",
		"struct.pack('sc0', 'a', 'b')":                               "a\x00b",
		"struct.unpack('>i3', '\\255\\255\\254')":                    "-2",
		"struct.unpack('bc0', '\\2abc')":                             "ab",
		"struct.unpack('d', struct.pack('d', 0.1))":                  "0.1",
		"struct.size('!bd')":                                         "16",
		"select(2, pcall(function() struct.pack('b') end))":          "<string>:1: bad argument #2 to '?' (number expected, got nil)",
		"select(2, pcall(function() struct.size('i33') end))":        "<string>:1: integral size 33 is larger than limit of 32",
		"select(2, pcall(function() struct.unpack('i', 'abc') end))": "<string>:1: bad argument #2 to '?' (data string too short)",
	} {
		require.NoError(t, L.DoString("local function f(...) return (...) end return f("+code+")"), code)
		assert.Equal(t, want, L.Get(-1).String(), code)
		L.Pop(1)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add("bBhHlLTi16Ifds", "\x01\x02\x03", 1.0)
	f.Add("!8>ic0", "\x00\x00\x00\x02ab", -1.0)
	f.Add("c2147483647x!3", "", 0.0)
	f.Fuzz(func(t *testing.T, format, data string, pos float64) {
		L := newState(t)
		err := L.CallByParam(lua.P{Fn: L.GetField(L.GetGlobal("struct"), "unpack"), NRet: lua.MultRet, Protect: true},
			lua.LString(format), lua.LString(data), lua.LNumber(pos))
		if err != nil {
			assert.NotContains(t, err.Error(), "runtime error")
		}
	})
}
