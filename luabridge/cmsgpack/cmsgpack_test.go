package cmsgpack

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func newState(t testing.TB) *lua.LState {
	L := lua.NewState()
	t.Cleanup(L.Close)
	var lib Library
	L.SetGlobal("cmsgpack", lib.Open(L))
	return L
}

// eval returns what a chunk returns, as text.
func eval(t testing.TB, L *lua.LState, code string) string {
	require.NoError(t, L.DoString(code), code)
	defer L.Pop(1)
	return L.Get(-1).String()
}

func TestRoundTrips(t *testing.T) {
	L := newState(t)
	for _, v := range []string{
		"0", "-1", "127", "128", "-32", "-33", "65536", "4294967296", "-4294967296", "0.5", "0.1", "'a'", "('x'):rep(70000)",
		"true", "false", "nil",
	} {
		assert.Equal(t, "true", eval(t, L, "return cmsgpack.unpack(cmsgpack.pack("+v+"))=="+v), v)
	}
}

func TestSeveralValues(t *testing.T) {
	L := newState(t)
	assert.Equal(t, "1 a 3", eval(t, L, `return table.concat({cmsgpack.unpack(cmsgpack.pack(1,'a',3))},' ')`))
	assert.Equal(t, "2 97 98", eval(t, L, `return table.concat({cmsgpack.unpack_limit('abc',2)},' ')`))
	assert.Equal(t, "-1 99", eval(t, L, `return table.concat({cmsgpack.unpack_one('abc',2)},' ')`))
}

func TestComplaintsWithoutAHost(t *testing.T) {
	L := newState(t)
	for code, want := range map[string]string{
		`cmsgpack.pack()`:                       "bad argument #0 to 'pack' (MessagePack pack needs input.)",
		`cmsgpack.unpack({})`:                   "bad argument #1 to 'unpack' (string expected, got table)",
		`cmsgpack.unpack_limit('a')`:            "bad argument #2 to 'unpack_limit' (number expected, got no value)",
		`cmsgpack.unpack('\193')`:               "Bad data format in input.",
		`cmsgpack.unpack('\204')`:               "Missing bytes in input.",
		`cmsgpack.unpack('\129\192\1')`:         "table index is nil",
		`cmsgpack.unpack(('\145'):rep(100000))`: "stack overflow (in function mp_decode_to_lua_array)",
	} {
		assert.ErrorContains(t, L.DoString(code), want, code)
	}
}

func TestMapsWithAKeyTwice(t *testing.T) {
	L := newState(t)
	// {a: 1, a: nil, a: 2, b: 3}
	assert.Equal(t, "2a3b", eval(t, L, `
		local s = ''
		for k, v in pairs(cmsgpack.unpack('\132\161a\1\161a\192\161a\2\161b\3')) do s = s .. v .. k end
		return s`))
}

func TestSparseKeysAreBounded(t *testing.T) {
	message := "\x81\xce\x03\xff\xff\xff\x01" // {67108863: 1}
	assert.ErrorContains(t, newState(t).DoString("cmsgpack.unpack("+luaQuote(message)+")"), "not enough memory")
	assert.Less(t, allocated(message), uint64(1<<16))
}

func luaQuote(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "\\%03d", c)
	}
	return "'" + b.String() + "'"
}

// allocated is how many bytes reading a message takes.
func allocated(message string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := decoder{src: message}
	for d.pos < len(message) && d.problem == nil {
		d.value(1)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAnnouncedLengthsAreNotTrusted(t *testing.T) {
	for name, message := range map[string]string{
		"array":         "\xdd\xff\xff\xff\xff",
		"map":           "\xdf\xff\xff\xff\xff",
		"string":        "\xdb\xff\xff\xff\xff",
		"nested arrays": strings.Repeat("\xdd\xff\xff\xff\xff", 3000),
		"nested maps":   strings.Repeat("\xdf\xff\xff\xff\xff\x01", 3000),
	} {
		assert.Less(t, allocated(message), uint64(64<<10+1000*len(message)), name)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, seed := range []string{
		"\x93\x01\xa1a\xc0", "\x82\xa1a\x01\x02\x03", "\xdd\xff\xff\xff\xff\x01", "\xdf\xff\xff\xff\xff\x01", "\xdb\xff\xff\xff\xff",
		"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\x81\xcd\x03\xff\x01", "\x81\x81\x01\x02\x03", "\xc1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		d := decoder{src: message, stock: true}
		for d.pos < len(message) && d.problem == nil {
			v := d.value(1)
			if d.problem == nil {
				var e encoder
				e.value(nil, v, 0, 1)
			}
		}
		if d.problem == nil {
			require.LessOrEqual(t, d.pos, len(message))
		}
	})
}

func Example() {
	L := lua.NewState()
	defer L.Close()
	var lib Library
	L.SetGlobal("cmsgpack", lib.Open(L))
	if err := L.DoString(`
		local t = cmsgpack.unpack(cmsgpack.pack({id = 'r1', list = {1, 2}}))
		print(t.id, #t.list)`); err != nil {
		fmt.Println(err)
	}
	// Output: r1	2
}
