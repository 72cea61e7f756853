package cjson

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Decode reads a JSON text, or says what is wrong with it. Strings of the result may share the memory of a short text.
//
// What is usual in a text is read here byte by byte. Where something else stands, [Codec.next] reads the token there from its
// beginning, so that it alone knows what is an error, and where.
func (c *Codec) Decode(L *lua.LState, text string) (v lua.LValue, problem string) {
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		return nil, "JSON parser does not support UTF-16 or UTF-32"
	}
	c.state, c.src, c.pos, c.depth, c.failed = L, text, 0, 0, ""
	v = c.read()
	if c.failed == "" {
		if t := c.next(); t.kind != tokenEnd {
			c.expected("the end", &t)
		}
	}
	c.state, c.src = nil, ""
	c.values.release()
	c.reuse(c.buf)
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

// skipSpace goes to the next byte that is no white space and returns it, 0 at the end.
func (c *Codec) skipSpace() byte {
	src := c.src
	for i := c.pos; i < len(src); i++ {
		if b := src[i]; b > ' ' || b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			c.pos = i
			return b
		}
	}
	c.pos = len(src)
	return 0
}

// read returns the value that comes next; after a failure, nil.
func (c *Codec) read() lua.LValue {
	switch b := c.skipSpace(); b {
	case '"':
		if s, ok := c.plainString(); ok {
			return lua.LString(c.own(s))
		}
	case '{':
		c.pos++
		return c.readObject()
	case '[':
		c.pos++
		return c.readArray()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if f, ok := c.plainNumber(); ok {
			return number(f)
		}
	}
	t := c.next()
	return c.value(&t)
}

// value is the value that is the token t, which begins neither an object nor an array.
func (c *Codec) value(t *token) lua.LValue {
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
	}
	c.expected("value", t)
	return nil
}

// digits are the numbers 0 to 255 as values, so that they need no memory of their own.
var digits = func() (d [256]lua.LValue) {
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

// readObject reads what follows a "{". Members wait in c.values until their number is known.
func (c *Codec) readObject() lua.LValue {
	if !c.descend() {
		return nil
	}
	if c.skipSpace() == '}' {
		c.pos++
		c.depth--
		return newTable()
	}
	mark := c.values.mark()
	for {
		key := c.readKey()
		if key == nil {
			return nil
		}
		if c.skipSpace() != ':' {
			t := c.next()
			c.expected("colon", &t)
			return nil
		}
		c.pos++
		v := c.read()
		if c.failed != "" {
			return nil
		}
		c.values.push(key, v)
		switch c.skipSpace() {
		case ',':
			c.pos++
		case '}':
			c.pos++
			c.depth--
			tb := c.newObject(c.values.since(mark))
			c.values.drop(mark)
			return tb
		default:
			t := c.next()
			c.expected("comma or object end", &t)
			return nil
		}
	}
}

func (c *Codec) readKey() lua.LValue {
	if c.skipSpace() == '"' {
		if s, ok := c.plainString(); ok {
			return c.key(s)
		}
	}
	t := c.next()
	if t.kind != tokenString {
		c.expected("object key string", &t)
		return nil
	}
	return c.key(t.text)
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

// readArray reads what follows a "[".
func (c *Codec) readArray() lua.LValue {
	if !c.descend() {
		return nil
	}
	if c.skipSpace() == ']' {
		c.pos++
		c.depth--
		return newTable()
	}
	mark := c.values.mark()
	for {
		v := c.read()
		if c.failed != "" {
			return nil
		}
		c.values.pushOne(v)
		switch c.skipSpace() {
		case ',':
			c.pos++
		case ']':
			c.pos++
			c.depth--
			tb := newArray(c.values.since(mark))
			c.values.drop(mark)
			return tb
		default:
			t := c.next()
			c.expected("comma or array end", &t)
			return nil
		}
	}
}
