package cjson

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Decode reads a JSON text, or says what is wrong with it. Strings of the result share the memory of text.
func (c *Codec) Decode(L *lua.LState, text string) (v lua.LValue, problem string) {
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		return nil, "JSON parser does not support UTF-16 or UTF-32"
	}
	c.src, c.pos, c.depth, c.failed = text, 0, 0, ""
	t := c.next()
	v = c.read(L, &t)
	if c.failed == "" {
		if t = c.next(); t.kind != tokenEnd {
			c.expected("the end", &t)
		}
	}
	c.src = ""
	return v, c.failed
}

// expected notes the first error.
func (c *Codec) expected(what string, t *token) {
	if c.failed == "" {
		found := tokenNames[t.kind]
		if t.kind == tokenError {
			found = t.text
		}
		c.failed = fmt.Sprintf("Expected %s but found %s at character %d", what, found, t.at+1)
	}
}

// read returns the value that begins with t; after a failure, nil.
func (c *Codec) read(L *lua.LState, t *token) lua.LValue {
	switch t.kind {
	case tokenString:
		return lua.LString(t.text)
	case tokenNumber:
		return number(t.number)
	case tokenTrue:
		return lua.LTrue
	case tokenFalse:
		return lua.LFalse
	case tokenNull:
		return c.null
	case tokenObject:
		return c.readObject(L)
	case tokenArray:
		return c.readArray(L)
	}
	c.expected("value", t)
	return nil
}

// digits are the numbers 0 to 9 as values, so that they need no memory of their own.
var digits = func() (d [128]lua.LValue) {
	for i := range d {
		d[i] = lua.LNumber(i)
	}
	return d
}()

func number(f float64) lua.LValue {
	if i := int(f); i > 0 && i < len(digits) && float64(i) == f {
		return digits[i]
	}
	return lua.LNumber(f)
}

func (c *Codec) descend() bool {
	c.depth++
	if c.depth > c.decodeMaxDepth {
		c.failed = fmt.Sprintf("Found too many nested data structures (%d) at character %d", c.depth, c.pos)
		return false
	}
	return true
}

func (c *Codec) readObject(L *lua.LState) lua.LValue {
	if !c.descend() {
		return nil
	}
	t := c.next()
	if t.kind == tokenObjectEnd {
		c.depth--
		return L.CreateTable(0, 0)
	}
	tb := tables.NewObject(4)
	for {
		if t.kind != tokenString {
			c.expected("object key string", &t)
			return nil
		}
		key := c.key(t.text)
		if t = c.next(); t.kind != tokenColon {
			c.expected("colon", &t)
			return nil
		}
		t = c.next()
		v := c.read(L, &t)
		if c.failed != "" {
			return nil
		}
		tables.AddString(tb, key, v)
		t = c.next()
		if t.kind == tokenObjectEnd {
			c.depth--
			return tb
		}
		if t.kind != tokenComma {
			c.expected("comma or object end", &t)
			return nil
		}
		t = c.next()
	}
}

// key returns an object's key as a value. The keys seen lately are kept, since JSON texts repeat them.
func (c *Codec) key(s string) lua.LValue {
	if s == "" || len(s) > 32 {
		return lua.LString(strings.Clone(s))
	}
	slot := &c.keys[(int(s[0])*7+int(s[len(s)-1])*3+len(s))%len(c.keys)]
	if have, ok := (*slot).(lua.LString); !ok || string(have) != s {
		*slot = lua.LString(strings.Clone(s)) // not a part of the source, which would stay alive with it
	}
	return *slot
}

func (c *Codec) readArray(L *lua.LState) lua.LValue {
	if !c.descend() {
		return nil
	}
	t := c.next()
	if t.kind == tokenArrayEnd {
		c.depth--
		return L.CreateTable(0, 0)
	}
	// The elements that follow are counted by their commas, which is never too few.
	room := 1 + strings.Count(c.src[c.pos:min(len(c.src), c.pos+256)], ",")
	tb := L.CreateTable(room, 0)
	for {
		v := c.read(L, &t)
		if c.failed != "" {
			return nil
		}
		tb.Append(v)
		t = c.next()
		if t.kind == tokenArrayEnd {
			c.depth--
			return tb
		}
		if t.kind != tokenComma {
			c.expected("comma or array end", &t)
			return nil
		}
		t = c.next()
	}
}
