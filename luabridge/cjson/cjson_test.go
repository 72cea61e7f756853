package cjson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
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

// TestDecimals compares the short way for decimals with the long one.
func TestDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	short := 0
	for range 200_000 {
		f := float64(r.Int64N(1e14)-5e13) / powers[r.IntN(7)]
		if r.IntN(4) == 0 {
			f = math.Nextafter(f, 0)
		}
		if _, ok := appendDecimal(nil, f); ok {
			short++
		}
		require.Equal(t, string(numbers.Append(nil, f, 14)), string(appendNumber(nil, f, 14)))
	}
	assert.Greater(t, short, 1000)
}

// TestNumbersAreReadAsStrtodReadsThem compares the short way for numbers with strconv's.
func TestNumbersAreReadAsStrtodReadsThem(t *testing.T) {
	L, c, r := newState(t), New(), rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		f := float64(r.Int64N(1e15)-5e14) / powers[r.IntN(16)]
		text := strconv.FormatFloat(f, 'f', r.IntN(16)-1, 64)
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		v, problem := c.Decode(L, "["+text+"]")
		require.Empty(t, problem)
		got := float64(v.(*lua.LTable).RawGetInt(1).(lua.LNumber))
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), text)
	}
}

// TestStringsOutliveTheText reads long texts one after the other; what was read before must stay.
func TestStringsOutliveTheText(t *testing.T) {
	L, c := newState(t), New()
	var read []*lua.LTable
	for i := range 50 {
		text := fmt.Sprintf(`{"a":"%d","b":"\n%d","pad":"%s"}`, i, i, strings.Repeat("x", 20*i))
		v, problem := c.Decode(L, text)
		require.Empty(t, problem)
		read = append(read, v.(*lua.LTable))
	}
	for i, tb := range read {
		assert.Equal(t, strconv.Itoa(i), tb.RawGetString("a").String())
		assert.Equal(t, "\n"+strconv.Itoa(i), tb.RawGetString("b").String())
		assert.Equal(t, strings.Repeat("x", 20*i), tb.RawGetString("pad").String())
	}
}

func TestBridgedTablesHoldTheSame(t *testing.T) {
	L, c := newState(t), New()
	c.Bridged = true
	text := `{"b":1,"a":[1,{"c":"x"}],"b":2}`
	v, problem := c.Decode(L, text)
	require.Empty(t, problem)
	got, problem := c.Encode(v)
	require.Empty(t, problem)
	assert.Contains(t, []string{`{"a":[1,{"c":"x"}],"b":2}`, `{"b":2,"a":[1,{"c":"x"}]}`}, got)
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
