package cmsgpack

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// maxNesting is the limit of nested tables. A deeper table is written as nil.
const maxNesting = 16

// encoder writes the values of a call.
type encoder struct {
	real    func(*lua.LTable) *lua.LTable // may be nil
	budget  *budget.Budget                // may be nil
	L       *lua.LState
	text    budget.Text
	problem string // the error; "": none. After an error the output is not used
}

// longestHead is the largest size of the header of a string, and of any other value that is not a
// table, in bytes.
const longestHead = 9

// value appends the message of v. Values that MessagePack does not have are written as nil. used is
// the number of values on Lua's stack, including v.
func (e *encoder) value(b []byte, v lua.LValue, level, used int) []byte {
	switch v := v.(type) {
	case lua.LString:
		if n := longestHead + len(v); n >= 1<<8 || len(b)+n > e.text.Room() {
			e.budget.Work(e.L, n>>8)
			if !e.more(len(b) + n) {
				return b
			}
		}
		return append(appendStringHead(b, len(v)), v...)
	case lua.LNumber:
		return appendNumber(b, float64(v))
	case lua.LBool:
		if v {
			return append(b, codeTrue)
		}
		return append(b, codeFalse)
	case *lua.LTable:
		if level < maxNesting {
			return e.table(b, v, level+1, used)
		}
	}
	return append(b, codeNil)
}

// room is called when the message has grown by a value, to n bytes. It reports whether to continue.
func (e *encoder) room(n int) bool { return n <= e.text.Room() && e.problem == "" || e.more(n) }

// more is called before the message grows to n bytes. It reports whether to continue.
func (e *encoder) more(n int) bool {
	if !e.text.To(e.budget, e.L, n) && e.problem == "" {
		e.problem = budget.TooLarge
	}
	return e.problem == ""
}

func appendStringHead(b []byte, n int) []byte {
	switch {
	case n < 32:
		return append(b, codeFixString|byte(n))
	case n <= math.MaxUint8:
		return append(b, codeString8, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, codeString16), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, codeString32), uint32(n))
}

func appendNumber(b []byte, f float64) []byte {
	if f >= -1<<63 && f < 1<<63 && f == math.Trunc(f) {
		return appendInteger(b, int64(f))
	}
	if short := float32(f); float64(short) == f {
		return binary.BigEndian.AppendUint32(append(b, codeFloat32), math.Float32bits(short))
	}
	return binary.BigEndian.AppendUint64(append(b, codeFloat64), math.Float64bits(f))
}

// appendInteger uses the shortest form. Numbers that are not negative are written unsigned.
func appendInteger(b []byte, i int64) []byte {
	switch {
	case i >= -32 && i <= math.MaxInt8:
		return append(b, byte(i))
	case i >= 0 && i <= math.MaxUint8:
		return append(b, codeUint8, byte(i))
	case i >= 0 && i <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, codeUint16), uint16(i))
	case i >= 0 && i <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, codeUint32), uint32(i))
	case i >= 0:
		return binary.BigEndian.AppendUint64(append(b, codeUint64), uint64(i))
	case i >= math.MinInt8:
		return append(b, codeInt8, byte(i))
	case i >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, codeInt16), uint16(i))
	case i >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, codeInt32), uint32(i))
	}
	return binary.BigEndian.AppendUint64(append(b, codeInt64), uint64(i))
}

// appendHead writes the header of an array or a map.
func appendHead(b []byte, n int, fix, code16, code32 byte) []byte {
	switch {
	case n < 16:
		return append(b, fix|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, code16), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, code32), uint32(n))
}

// overflow keeps where the stack was full.
func (e *encoder) overflow(b []byte, function string) []byte {
	if e.problem == "" {
		e.problem = "stack overflow (in function " + function + ")"
	}
	return b
}

// isArray reports whether the keys of a table's two parts, n in all, are 1 to n.
func isArray(array []lua.LValue, hash []tables.Entry, n int) bool {
	for i := range hash {
		k, ok := hash[i].Key.(lua.LNumber)
		if !ok || k < 1 || k > lua.LNumber(n) || lua.LNumber(int(k)) != k {
			return false
		}
	}
	for i := n; i < len(array); i++ {
		if array[i] != lua.LNil {
			return false
		}
	}
	return true
}

// table writes an array if the keys are 1 to n, also for an empty table, else a map.
func (e *encoder) table(b []byte, tb *lua.LTable, level, used int) []byte {
	if used+2 > maxStack || e.problem != "" {
		return e.overflow(b, "table_is_an_array")
	}
	if e.real != nil && tb.Metatable != lua.LNil {
		tb = e.real(tb)
	}
	array := tables.Array(tb)
	size := tables.HashSize(tb)
	e.budget.Work(e.L, 1+len(array)+size)
	items := 0
	for _, v := range array {
		if v != lua.LNil {
			items++
		}
	}
	var room [16]tables.Entry
	switch {
	case size == 0:
		return e.entries(b, tb, array, items, nil, level, used)
	case size <= len(room):
		return e.entries(b, tb, array, items, tables.Hash(tb, room[:0]), level, used)
	}
	held := size * (tables.HashCost + tables.EntrySize)
	e.budget.Hold(e.L, held)
	b = e.entries(b, tb, array, items, tables.Hash(tb, nil), level, used)
	e.budget.Free(held)
	return b
}

// entries writes the entries of tb: the array part array with items elements, and the entries hash
// outside it.
func (e *encoder) entries(b []byte, tb *lua.LTable, array []lua.LValue, items int, hash []tables.Entry, level, used int) []byte {
	if n := items + len(hash); isArray(array, hash, n) {
		b = appendHead(b, n, codeFixArray, codeArray16, codeArray32)
		for i := range n {
			if b = e.value(b, tables.GetInt(tb, i+1), level, used+1); !e.room(len(b)) {
				return b
			}
		}
		return b
	}
	if used+3 > maxStack {
		return e.overflow(b, "mp_encode_lua_table_as_map")
	}
	b = appendHead(b, items+len(hash), codeFixMap, codeMap16, codeMap32)
	for i, v := range array {
		if v != lua.LNil {
			if b = e.value(appendInteger(b, int64(i+1)), v, level, used+2); !e.room(len(b)) {
				return b
			}
		}
	}
	for i := range hash {
		b = e.value(b, hash[i].Key, level, used+3)
		if b = e.value(b, hash[i].Value, level, used+2); !e.room(len(b)) {
			return b
		}
	}
	return b
}
