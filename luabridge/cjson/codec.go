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

	// Arrays adds the function [ArrayTables], which Redis has since 8.4.
	Arrays bool
	// Guard makes a table read-only. Optional.
	Guard func(*lua.LTable)

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

// scratch is shared by a codec and the codecs that its function new makes. They use it in turn. It
// is made at the first use.
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
	arrayTables    bool // decoded arrays have a metatable with isArray
}

// maxStack is the number of values that a C function may have on Lua's stack (LUAI_MAXCSTACK).
// encodeSlots is the number of free places that lua-cjson needs for each table that it writes. They
// limit how deep values nest, whatever the settings say.
const (
	maxStack    = 8000
	encodeSlots = 3
)

// ArrayTables is the function that only some servers have: with its setting on, decoded arrays are
// encoded as arrays, also if they are empty.
const ArrayTables = "decode_array_with_array_mt"

// isArray is the field of the metatable of a table that is encoded as an array.
const isArray = "__is_cjson_array"

// New returns a codec with the default settings.
func New() *Codec { return newCodec(&lua.LUserData{Metatable: lua.LNil}) }

func newCodec(null *lua.LUserData) *Codec {
	return &Codec{null: null, settings: settings{
		sparseRatio: 2, sparseSafe: 10, encodeMaxDepth: 1000, decodeMaxDepth: 1000, precision: defaultPrecision,
		keepBuffer: true, decodeInvalid: true,
	}}
}

// prepare makes the scratch memory.
func (c *Codec) prepare() {
	if c.scratch == nil {
		c.scratch = new(scratch)
	}
}

// Null is the value of cjson.null.
func (c *Codec) Null() *lua.LUserData { return c.null }

// Fresh returns a codec with the default settings that has the same null as c.
func (c *Codec) Fresh() *Codec { return newCodec(c.null) }

// functions lists the functions in the order that pairs shows.
func functions(arrays bool) []args.Function[Codec] {
	list := []args.Function[Codec]{
		{Name: "encode", Call: (*Codec).luaEncode},
		{Name: "decode", Call: (*Codec).luaDecode},
		{Name: "encode_sparse_array", Call: (*Codec).setSparse},
		{Name: "encode_max_depth", Call: integerSetting(func(s *settings) *int { return &s.encodeMaxDepth }, 1, math.MaxInt32)},
		{Name: "decode_max_depth", Call: integerSetting(func(s *settings) *int { return &s.decodeMaxDepth }, 1, math.MaxInt32)},
		{Name: "encode_number_precision", Call: integerSetting(func(s *settings) *int { return &s.precision }, 1, defaultPrecision)},
		{Name: "encode_keep_buffer", Call: boolSetting(func(s *settings) *bool { return &s.keepBuffer })},
		{Name: "encode_invalid_numbers", Call: (*Codec).setEncodeInvalid},
		{Name: "decode_invalid_numbers", Call: boolSetting(func(s *settings) *bool { return &s.decodeInvalid })},
		{Name: "new", Call: (*Codec).luaNew},
	}
	if arrays {
		list = append(list, args.Function[Codec]{Name: ArrayTables, Call: boolSetting(func(s *settings) *bool { return &s.arrayTables })})
	}
	return list
}

// Open returns the table of the library.
func (c *Codec) Open(L *lua.LState) *lua.LTable { return c.Table(args.Bind(L, c), c.Arrays) }

// Table returns the table of the library with values of its functions that value makes, with or
// without [ArrayTables]. It is for package luabridge.
func (c *Codec) Table(value args.Maker[Codec], arrays bool) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	for _, f := range functions(arrays) {
		tb.RawSetString(f.Name, value(f))
	}
	tb.RawSetString("null", c.null)
	tb.RawSetString("_NAME", lua.LString("cjson"))
	tb.RawSetString("_VERSION", lua.LString("2.1.0"))
	return tb
}

func (c *Codec) luaNew(L *lua.LState) int {
	c.prepare()
	fresh := newCodec(c.null)
	fresh.Host, fresh.Real, fresh.Bridged, fresh.scratch = c.Host, c.Real, c.Bridged, c.scratch
	fresh.Arrays, fresh.Guard = c.Arrays, c.Guard
	L.Push(c.Host.Hashing.Use(fresh.Open(L)))
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
