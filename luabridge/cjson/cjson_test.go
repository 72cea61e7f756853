package cjson

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func newState(t testing.TB) *lua.LState {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	return L
}

func TestRoundTrips(t *testing.T) {
	L, c := newState(t), New()
	for _, text := range []string{
		`1`, `-1.5`, `1e+100`, `"a\/b\"\\\n\u0001\u007f"`, `[1,"2",null,true,false,{"a":[]}]`, `{"a":{"b":{"c":7}}}`,
		"\"h\u00e9\"", `[[[]]]`,
	} {
		v, problem := c.Decode(L, text)
		require.Empty(t, problem, text)
		got, problem := c.Encode(v)
		require.Empty(t, problem, text)
		assert.Equal(t, strings.ReplaceAll(text, "[]", "{}"), got, "an empty array has no mark in Lua")
	}
}

func TestWhatDecodeRefuses(t *testing.T) {
	L, c := newState(t), New()
	for text, want := range map[string]string{
		``:                        "Expected value but found T_END at character 1",
		`{"a" 1}`:                 "Expected colon but found T_NUMBER at character 6",
		`{a:1}`:                   "Expected object key string but found invalid token at character 2",
		`[1 2]`:                   "Expected comma or array end but found T_NUMBER at character 4",
		`"abc`:                    "Expected value but found unexpected end of string at character 5",
		`"\x"`:                    "Expected value but found invalid escape code at character 2",
		`[1]x`:                    "Expected the end but found invalid token at character 4",
		"\x00\x00":                "JSON parser does not support UTF-16 or UTF-32",
		strings.Repeat("[", 1001): "Found too many nested data structures (1001) at character 1001",
	} {
		_, problem := c.Decode(L, text)
		assert.Equal(t, want, problem, "%.20s", text)
	}
	v, problem := c.Decode(L, `{"after": "an error"}`)
	assert.Empty(t, problem)
	assert.Equal(t, "an error", v.(*lua.LTable).RawGetString("after").String())
}

func TestWhatEncodeRefuses(t *testing.T) {
	L, c := newState(t), New()
	sparse, self := L.CreateTable(0, 0), L.CreateTable(0, 0)
	sparse.RawSetInt(100, lua.LTrue)
	self.RawSetString("self", self)
	for want, v := range map[string]lua.LValue{
		"Cannot serialise table: excessively sparse array": sparse,
		"Cannot serialise, excessive nesting (1001)":       self,
		"Cannot serialise function: type not supported":    L.NewFunction(func(*lua.LState) int { return 0 }),
	} {
		_, problem := c.Encode(v)
		assert.Equal(t, want, problem)
	}
}

func FuzzDecodeThenEncode(f *testing.F) {
	f.Add(`{"a":[1,2.5,"\u00e9",null,true]}`)
	f.Add(`[1e400,-0,nan,0x1F]`)
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	f.Fuzz(func(t *testing.T, text string) {
		c := New()
		if v, problem := c.Decode(L, text); problem == "" {
			c.Encode(v)
		}
	})
}

func Example() {
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal("cjson", New().Open(L))
	if err := L.DoString(`
		local t = cjson.decode('{"redPacketId":"r1","amount":5}')
		t.userId = "u1"
		print(cjson.encode(t))`); err != nil {
		fmt.Println(err)
	}
	// Output: {"amount":5,"userId":"u1","redPacketId":"r1"}
}
