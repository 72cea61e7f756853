package cjson

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// Codec encodes and decodes with one set of settings.
type Codec struct {
	Host args.Host

	// Real, when set, is asked for the table that stands behind one that a script holds.
	Real func(*lua.LTable) *lua.LTable

	// Bridged is set for the VM of luabridge: tables are made with the inside of Lua 5.1's, which gopher-lua's own
	// instructions cannot change. Without it they are gopher-lua's.
	Bridged bool

	null *lua.LUserData
	settings

	buf     []byte         // the text, or the string with escapes, in the making; reused
	keys    [64]lua.LValue // object keys that were read lately
	strings arena
	values  stack
	state   *lua.LState // for which a text is read
	src     string      // the text being read
	pos     int
	depth   int
	failed  string // what went wrong, "" so far
}

type settings struct {
	convertSparse  bool // write excessively sparse arrays as objects
	sparseRatio    int
	sparseSafe     int
	encodeMaxDepth int
	decodeMaxDepth int
	precision      int
	keepBuffer     bool
	encodeInvalid  int // what to do with inf and nan: 0 refuse, 1 write, 2 write null
	decodeInvalid  bool
}

// New returns a codec with the default settings.
func New() *Codec { return newCodec(&lua.LUserData{Metatable: lua.LNil}) }

func newCodec(null *lua.LUserData) *Codec {
	return &Codec{null: null, settings: settings{
		sparseRatio: 2, sparseSafe: 10, encodeMaxDepth: 1000, decodeMaxDepth: 1000, precision: defaultPrecision,
		keepBuffer: true, decodeInvalid: true,
	}}
}

// Null is the value of cjson.null.
func (c *Codec) Null() *lua.LUserData { return c.null }

// Open makes the module's table.
func (c *Codec) Open(L *lua.LState) *lua.LTable {
	tb := L.CreateTable(0, 16)
	// The order shows in pairs.
	for _, f := range []struct {
		name string
		fn   lua.LGFunction
	}{
		{"encode", c.luaEncode},
		{"decode", c.luaDecode},
		{"encode_sparse_array", c.setSparse},
		{"encode_max_depth", c.integerSetting(&c.encodeMaxDepth, 1, math.MaxInt32)},
		{"decode_max_depth", c.integerSetting(&c.decodeMaxDepth, 1, math.MaxInt32)},
		{"encode_number_precision", c.integerSetting(&c.precision, 1, defaultPrecision)},
		{"encode_keep_buffer", c.boolSetting(&c.keepBuffer)},
		{"encode_invalid_numbers", c.setEncodeInvalid},
		{"decode_invalid_numbers", c.boolSetting(&c.decodeInvalid)},
		{"new", c.luaNew},
	} {
		tb.RawSetString(f.name, L.NewFunction(f.fn))
	}
	tb.RawSetString("null", c.null)
	tb.RawSetString("_NAME", lua.LString("cjson"))
	tb.RawSetString("_VERSION", lua.LString("2.1.0"))
	return tb
}

func (c *Codec) luaNew(L *lua.LState) int {
	fresh := newCodec(c.null)
	fresh.Host, fresh.Real, fresh.Bridged = c.Host, c.Real, c.Bridged
	L.Push(fresh.Open(L))
	return 1
}

func (c *Codec) luaEncode(L *lua.LState) int {
	if L.GetTop() != 1 {
		return c.Host.Bad(L, 1, "expected 1 argument")
	}
	text, problem := c.Encode(L.Get(1))
	if problem != "" {
		return c.Host.Error(L, "%s", problem)
	}
	L.Push(lua.LString(text))
	return 1
}

func (c *Codec) luaDecode(L *lua.LState) int {
	if L.GetTop() != 1 {
		return c.Host.Bad(L, 1, "expected 1 argument")
	}
	text, ok := args.Text(L.Get(1))
	if !ok {
		return c.Host.Type(L, 1, "string")
	}
	v, problem := c.Decode(L, text)
	if problem != "" {
		return c.Host.Error(L, "%s", problem)
	}
	L.Push(v)
	return 1
}
