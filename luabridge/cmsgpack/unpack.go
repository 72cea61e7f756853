package cmsgpack

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// trouble is the reason why a message cannot be read.
type trouble struct {
	message string
	bare    bool // raised by the Lua core, without a position
}

var (
	missingBytes  = &trouble{message: "Missing bytes in input."}
	badFormat     = &trouble{message: "Bad data format in input."}
	arrayOverflow = &trouble{message: "stack overflow (in function mp_decode_to_lua_array)"}
	valueOverflow = &trouble{
		message: "stack overflow (too many return values at once; use unpack_one or unpack_limit instead.)",
	}
	nilIndex = &trouble{message: "table index is nil", bare: true}
	nanIndex = &trouble{message: "table index is NaN", bare: true}
	noMemory = &trouble{message: "not enough memory", bare: true} // only with tables of gopher-lua
)

func (t *trouble) raise(m *Library, L *lua.LState) int {
	switch {
	case !t.bare:
		return m.fail(L, "%s", t.message)
	case m.Raise != nil:
		m.Raise(L, lua.LString(t.message))
	default:
		L.Error(lua.LString(t.message), 0)
	}
	return 0
}

// decoder reads values one after another.
type decoder struct {
	src     string
	pos     int
	boxes   *boxes.Boxes
	stock   bool           // the tables are for gopher-lua's own loop
	budget  *budget.Budget // may be nil
	hashing tables.Hashing
	L       *lua.LState
	problem *trouble // the first one; the values read after it are not used
}

func (d *decoder) fail(t *trouble) lua.LValue {
	if d.problem == nil {
		d.problem = t
	}
	return lua.LNil
}

// value reads the next value. used is the number of values on Lua's stack.
func (d *decoder) value(used int) lua.LValue {
	if d.pos >= len(d.src) {
		return d.fail(missingBytes)
	}
	if used+1 > maxStack {
		return d.fail(valueOverflow)
	}
	d.budget.Work(d.L, 1)
	d.budget.Hold(d.L, heldValue)
	code := d.src[d.pos]
	d.pos++
	switch {
	case code < codeFixMap:
		return lua.LNumber(code)
	case code < codeFixArray:
		return d.mapping(int(code&15), used)
	case code < codeFixString:
		return d.array(int(code&15), used)
	case code < codeNil:
		return d.str(uint64(code & 31))
	case code >= codeNegative:
		return lua.LNumber(int8(code))
	}
	switch code {
	case codeNil:
		return lua.LNil
	case codeFalse:
		return lua.LFalse
	case codeTrue:
		return lua.LTrue
	}
	width := widths[code-codeNil]
	if width == 0 {
		return d.fail(badFormat)
	}
	n, ok := d.uint(int(width))
	if !ok {
		return d.fail(missingBytes)
	}
	switch code {
	case codeFloat32:
		return lua.LNumber(math.Float32frombits(uint32(n)))
	case codeFloat64:
		return lua.LNumber(math.Float64frombits(n))
	case codeUint8, codeUint16, codeUint32, codeUint64, codeInt64:
		return lua.LNumber(int64(n)) // Lua's integer is signed
	case codeInt8:
		return lua.LNumber(int8(n))
	case codeInt16:
		return lua.LNumber(int16(n))
	case codeInt32:
		return lua.LNumber(int32(n))
	case codeArray16, codeArray32:
		return d.array(int(n), used)
	case codeMap16, codeMap32:
		return d.mapping(int(n), used)
	}
	return d.str(n)
}

// widths are the numbers of bytes after a code from codeNil on; 0: the code does not exist.
var widths = [codeNegative - codeNil]uint8{
	codeFloat32 - codeNil: 4, codeFloat64 - codeNil: 8,
	codeUint8 - codeNil: 1, codeUint16 - codeNil: 2, codeUint32 - codeNil: 4, codeUint64 - codeNil: 8,
	codeInt8 - codeNil: 1, codeInt16 - codeNil: 2, codeInt32 - codeNil: 4, codeInt64 - codeNil: 8,
	codeString8 - codeNil: 1, codeString16 - codeNil: 2, codeString32 - codeNil: 4,
	codeArray16 - codeNil: 2, codeArray32 - codeNil: 4, codeMap16 - codeNil: 2, codeMap32 - codeNil: 4,
}

func (d *decoder) uint(width int) (n uint64, ok bool) {
	if len(d.src)-d.pos < width {
		return 0, false
	}
	for i := range width {
		n = n<<8 | uint64(d.src[d.pos+i])
	}
	d.pos += width
	return n, true
}

func (d *decoder) str(n uint64) lua.LValue {
	if uint64(len(d.src)-d.pos) < n {
		return d.fail(missingBytes)
	}
	s := d.src[d.pos : d.pos+int(n)]
	d.pos += int(n)
	if len(s) > heldValue {
		d.budget.Hold(d.L, len(s))
	}
	return d.boxes.Piece(d.src, s)
}

// Bytes to hold: for a value, for a table without its values, and for a key.
const (
	heldValue = 48
	heldTable = 160
	heldKey   = 80
)

// room returns the number of places to allocate for n announced items. It is small because arrays
// nest: each of them could announce as many items as there are bytes.
func room(n int) int { return min(n, 32) }

func (d *decoder) array(n, used int) lua.LValue {
	if used+2 > maxStack {
		return d.fail(arrayOverflow)
	}
	d.budget.Hold(d.L, heldTable)
	tb := d.hashing.Use(tables.NewArray(make([]lua.LValue, 0, room(min(n, len(d.src)-d.pos)))))
	for i := range n {
		v := d.value(used + 2) // the table and the index
		if d.problem != nil {
			return lua.LNil
		}
		tables.SetInt(tb, i+1, v)
	}
	return tb
}

func (d *decoder) mapping(n, used int) lua.LValue {
	tb := d.hashing.Use(tables.NewObject(room(min(n, (len(d.src)-d.pos)/2))))
	d.budget.Hold(d.L, heldTable)
	for range n {
		d.budget.Hold(d.L, heldKey)
		key := d.value(used + 1)
		if d.problem != nil {
			return lua.LNil
		}
		v := d.value(used + 2)
		if d.problem != nil {
			return lua.LNil
		}
		if t := set(tb, key, v); t != nil {
			return d.fail(t)
		}
	}
	if d.stock && !tables.Stock(tb) {
		return d.fail(noMemory)
	}
	return tb
}

// set assigns t[key] = v, and returns Lua's error.
func set(tb *lua.LTable, key, v lua.LValue) *trouble {
	switch k := key.(type) {
	case *lua.LNilType:
		return nilIndex
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			return nanIndex
		}
	}
	tables.Set(tb, key, v)
	return nil
}
