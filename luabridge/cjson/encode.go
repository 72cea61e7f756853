package cjson

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Encode returns the JSON of v, or what is wrong with it.
func (c *Codec) Encode(v lua.LValue) (text, problem string) {
	c.failed = ""
	buf := c.append(c.buf[:0], v, 0)
	c.reuse(buf)
	if c.failed != "" {
		return "", c.failed
	}
	return string(buf), ""
}

// reuse keeps buf for the next text, unless it has grown large.
func (c *Codec) reuse(buf []byte) {
	c.buf = nil
	if cap(buf) <= 1<<16 {
		c.buf = buf
	}
}

// append appends v. After a failure the result does not matter.
func (c *Codec) append(b []byte, v lua.LValue, depth int) []byte {
	switch v := v.(type) {
	case lua.LString:
		return appendString(b, string(v))
	case lua.LNumber:
		return c.number(b, float64(v))
	case *lua.LTable:
		return c.table(b, v, depth+1)
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

func (c *Codec) table(b []byte, tb *lua.LTable, depth int) []byte {
	if depth > c.encodeMaxDepth {
		return c.fail(b, fmt.Sprintf("Cannot serialise, excessive nesting (%d)", depth))
	}
	if c.failed != "" {
		return b
	}
	if c.Real != nil && tb.Metatable != lua.LNil {
		tb = c.Real(tb)
	}
	var room [16]tables.Entry
	array, hash := contents(tb, room[:0])
	if n := c.arrayLength(array, hash); n > 0 {
		return c.array(b, tb, n, depth)
	}
	return c.object(b, array, hash, depth)
}

// arrayLength is the largest index of a table whose keys are all positive integers, 0 for
// others and for arrays that are to be written as objects.
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
		case n > math.MaxInt32: // what a C int, in which lua-cjson counts, makes of it
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

func (c *Codec) array(b []byte, tb *lua.LTable, n, depth int) []byte {
	b = append(b, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			b = append(b, ',')
		}
		b = c.append(b, element(tb, i), depth)
	}
	return append(b, ']')
}

func (c *Codec) object(b []byte, array []lua.LValue, hash []tables.Entry, depth int) []byte {
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
		b = c.append(b, v, depth)
	}
	for i := range hash {
		if len(b) > start {
			b = append(b, ',')
		}
		switch k := hash[i].Key.(type) {
		case lua.LString:
			b = appendString(b, string(k))
		case lua.LNumber:
			b = append(b, '"')
			b = c.number(b, float64(k))
			b = append(b, '"')
		default:
			return c.fail(b, fmt.Sprintf("Cannot serialise %s: table key must be a number or string", k.Type()))
		}
		b = append(b, ':')
		b = c.append(b, hash[i].Value, depth)
	}
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

// escapes says for each byte whether it is written as it is (0), by a backslash and a letter, or by its
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

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
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
	b = append(b, s[from:]...)
	return append(b, '"')
}
