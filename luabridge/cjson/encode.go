package cjson

import (
	"fmt"
	"math"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Encode returns the JSON of v. problem is the error, or "".
func (c *Codec) Encode(v lua.LValue) (text, problem string) {
	c.prepare()
	c.failed, c.made = "", c.Host.Budget.Text()
	buf := c.append(c.buf[:0], v, 0, 1)
	c.state = nil
	c.reuse(buf)
	if c.failed != "" {
		return "", c.failed
	}
	if c.buf == nil { // buf is not reused, so it need not be copied
		return unsafe.String(unsafe.SliceData(buf), len(buf)), ""
	}
	return string(buf), ""
}

// room is called before the text grows to n bytes. It reports whether to continue.
func (c *Codec) room(n int) bool { return n <= c.made.Room() && c.failed == "" || c.more(n) }

func (c *Codec) more(n int) bool {
	if !c.made.To(c.Host.Budget, c.state, n) {
		c.fail(nil, budget.TooLarge)
	}
	return c.failed == ""
}

// reuse keeps buf for the next text, unless it has grown large.
func (c *Codec) reuse(buf []byte) {
	c.buf = nil
	if cap(buf) <= 1<<16 {
		c.buf = buf
	}
}

// append appends v. depth is the number of enclosing tables, and used the number of values on Lua's
// stack, including v. After a failure the result is not used.
func (c *Codec) append(b []byte, v lua.LValue, depth, used int) []byte {
	switch v := v.(type) {
	case lua.LString:
		if len(v) <= longPiece {
			return appendString(b, string(v))
		}
		return c.longString(b, string(v))
	case lua.LNumber:
		return c.number(b, float64(v))
	case *lua.LTable:
		return c.table(b, v, depth+1, used)
	case lua.LBool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case *lua.LNilType:
		return append(b, "null"...)
	case *lua.LUserData:
		if v == c.null {
			return append(b, "null"...)
		}
	}
	return c.fail(b, fmt.Sprintf("Cannot serialise %s: type not supported", v.Type()))
}

func (c *Codec) fail(b []byte, problem string) []byte {
	if c.failed == "" {
		c.failed = problem
	}
	return b
}

// fewEntries is the largest number of entries outside the array part that are written without
// allocating memory.
const fewEntries = 16

func (c *Codec) table(b []byte, tb *lua.LTable, depth, used int) []byte {
	if depth > c.encodeMaxDepth || used+encodeSlots > maxStack {
		return c.fail(b, fmt.Sprintf("Cannot serialise, excessive nesting (%d)", depth))
	}
	if c.failed != "" {
		return b
	}
	asArray := false
	if tb.Metatable != lua.LNil {
		asArray = c.Arrays && c.isArray(tb)
		if c.Real != nil {
			tb = c.Real(tb)
		}
	}
	array, size := tables.Array(tb), tables.HashSize(tb)
	c.Host.Budget.Work(c.state, 1+size+len(array))
	held := 0
	if size > fewEntries {
		held = size * (tables.HashCost + tables.EntrySize)
		c.Host.Budget.Hold(c.state, held)
	}
	var few [fewEntries]tables.Entry
	hash := few[:0]
	if size > 0 {
		hash = tables.Hash(tb, hash)
	}
	if asArray {
		b = c.array(b, tb, tables.Len(tb), depth, used+1)
	} else if n := c.arrayLength(array, hash); n > 0 {
		b = c.array(b, tb, n, depth, used+1)
	} else {
		b = c.object(b, array, hash, depth, used+2)
	}
	if held > 0 {
		c.Host.Budget.Free(held)
	}
	return b
}

// isArray reports whether the metatable of a table says that it is an array.
func (c *Codec) isArray(tb *lua.LTable) bool {
	mt, ok := tb.Metatable.(*lua.LTable)
	if !ok {
		return false
	}
	v := tables.Get(mt, lua.LString(isArray))
	if v == lua.LNil && mt.Metatable != lua.LNil && c.state != nil {
		v = c.state.GetField(mt, isArray)
	}
	return lua.LVAsBool(v)
}

// arrayLength returns the largest index of a table whose keys are all positive integers. It returns
// 0 for others, and for arrays that are written as objects.
func (c *Codec) arrayLength(array []lua.LValue, hash []tables.Entry) int {
	longest, items := 0, 0
	for i, v := range array {
		if v != lua.LNil {
			longest = i + 1
			items++
		}
	}
	for i := range hash {
		n, ok := hash[i].Key.(lua.LNumber)
		switch {
		case !ok || n < 1 || lua.LNumber(math.Floor(float64(n))) != n:
			return 0
		case n > math.MaxInt32: // lua-cjson counts in a C int
			longest = math.MinInt32
		case n > lua.LNumber(longest):
			longest = int(n)
		}
		items++
	}
	if c.sparseRatio > 0 && longest > items*c.sparseRatio && longest > c.sparseSafe {
		if !c.convertSparse {
			c.fail(nil, "Cannot serialise table: excessively sparse array")
		}
		return 0
	}
	return longest
}

// array writes the elements 1 to n. used includes the element being written.
func (c *Codec) array(b []byte, tb *lua.LTable, n, depth, used int) []byte {
	b = append(b, '[')
	for i := 1; i <= n; i++ {
		if i%elementsPerLook == 0 {
			c.Host.Budget.Work(c.state, elementsPerLook)
		}
		if i > 1 {
			b = append(b, ',')
		}
		if b = c.append(b, element(tb, i), depth, used); !c.room(len(b)) {
			return b
		}
	}
	return append(b, ']')
}

// object writes all entries. used includes the key and the value being written.
func (c *Codec) object(b []byte, array []lua.LValue, hash []tables.Entry, depth, used int) []byte {
	b = append(b, '{')
	start := len(b)
	for i, v := range array {
		if v == lua.LNil {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = c.number(b, float64(i+1))
		b = append(b, '"', ':')
		if b = c.append(b, v, depth, used); !c.room(len(b)) {
			return b
		}
	}
	for i := range hash {
		if len(b) > start {
			b = append(b, ',')
		}
		switch k := hash[i].Key.(type) {
		case lua.LString:
			if len(k) <= longPiece {
				b = appendString(b, string(k))
			} else {
				b = c.longString(b, string(k))
			}
		case lua.LNumber:
			b = append(b, '"')
			b = c.number(b, float64(k))
			b = append(b, '"')
		default:
			return c.fail(b, fmt.Sprintf("Cannot serialise %s: table key must be a number or string", k.Type()))
		}
		b = append(b, ':')
		if b = c.append(b, hash[i].Value, depth, used); !c.room(len(b)) {
			return b
		}
	}
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

// escapes says how each byte is written: as it is (0), by a backslash and a letter, or by its
// number ('u').
var escapes = func() (t [256]byte) {
	for i := range 0x20 {
		t[i] = 'u'
	}
	t[0x7f] = 'u'
	for c, letter := range map[byte]byte{'"': '"', '\\': '\\', '/': '/', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'} {
		t[c] = letter
	}
	return t
}()

// longPiece is the number of bytes of a string that are written between two checks of the budget.
const longPiece = 4096

// elementsPerLook is the number of elements that are written between two checks of the budget.
const elementsPerLook = 256

// longString appends a string of more than longPiece bytes.
func (c *Codec) longString(b []byte, s string) []byte {
	b = append(b, '"')
	for len(s) > longPiece {
		c.Host.Budget.Work(c.state, longPiece>>4)
		if !c.room(len(b) + 6*longPiece) {
			return b
		}
		b = appendEscaped(b, s[:longPiece])
		s = s[longPiece:]
	}
	return append(appendEscaped(b, s), '"')
}

// appendString appends a short string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if escapes[s[i]] != 0 {
			return append(appendEscaped(b, s), '"')
		}
	}
	b = append(b, s...)
	return append(b, '"')
}

// appendEscaped appends the escaped text, without the quotes.
func appendEscaped(b []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		e := escapes[s[i]]
		if e == 0 {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		if e == 'u' {
			b = append(b, '\\', 'u', '0', '0', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		} else {
			b = append(b, '\\', e)
		}
	}
	return append(b, s[from:]...)
}
