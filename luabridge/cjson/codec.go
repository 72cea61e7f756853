package cjson

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

// Codec encodes and decodes with one set of settings.
type Codec struct {
	Host args.Host

	// Real returns the table behind a read-only stand-in, and other tables as they are. Optional.
	Real func(*lua.LTable) *lua.LTable

	// Bridged is set by luabridge: tables are made with the inside of Lua 5.1's, which gopher-lua's
	// own instructions cannot change. Without it they are gopher-lua's.
	Bridged bool

	null *lua.LUserData
	settings

	*scratch
	state  *lua.LState // the state for which a text is read
	src    string      // the text being read
	pos    int
	depth  int
	used   int         // number of values that Lua's stack would hold
	made   budget.Text // counts the memory of the text being built
	failed string      // the error; "": none
}

// scratch is shared by a codec and the codecs that its function new makes. They use it in turn.
type scratch struct {
	buf     []byte         // the text, or the string with escapes, in the making; reused
	keys    [64]lua.LValue // object keys that were read recently
	boxes   boxes.Boxes
	strings arena
	values  stack
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

// maxStack is the number of values that a C function may have on Lua's stack (LUAI_MAXCSTACK).
// encodeSlots is the number of free places that lua-cjson needs for each table that it writes. They
// limit how deep values nest, whatever the settings say.
const (
	maxStack    = 8000
	encodeSlots = 3
)

// New returns a codec with the default settings.
func New() *Codec { return newCodec(&lua.LUserData{Metatable: lua.LNil}) }

func newCodec(null *lua.LUserData) *Codec {
	return &Codec{null: null, scratch: &scratch{}, settings: settings{
		sparseRatio: 2, sparseSafe: 10, encodeMaxDepth: 1000, decodeMaxDepth: 1000, precision: defaultPrecision,
		keepBuffer: true, decodeInvalid: true,
	}}
}

// Null is the value of cjson.null.
func (c *Codec) Null() *lua.LUserData { return c.null }

// Open returns the table of the library.
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
	fresh.Host, fresh.Real, fresh.Bridged, fresh.scratch = c.Host, c.Real, c.Bridged, c.scratch
	L.Push(fresh.Open(L))
	return 1
}

func (c *Codec) luaEncode(L *lua.LState) int {
	if L.GetTop() != 1 {
		return c.Host.Bad(L, 1, "expected 1 argument")
	}
	c.state = L
	held := c.Host.Budget.Held()
	text, problem := c.Encode(L.Get(1))
	c.Host.Budget.Release(held)
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
	held := c.Host.Budget.Held()
	v, problem := c.Decode(L, text)
	c.Host.Budget.Release(held)
	if problem != "" {
		return c.Host.Error(L, "%s", problem)
	}
	L.Push(v)
	return 1
}
