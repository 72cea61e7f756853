package cjson

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Decode reads a JSON text. problem is the error, or "". Strings of the result may share the memory
// of a short text.
//
// It reads usual texts byte by byte. Anything else it leaves to [Codec.next], which reads the token
// from its beginning. So only next decides what is an error, and where.
func (c *Codec) Decode(L *lua.LState, text string) (v lua.LValue, problem string) {
	if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
		return nil, "JSON parser does not support UTF-16 or UTF-32"
	}
	c.prepare()
	c.state, c.src, c.pos, c.depth, c.used, c.failed, c.made = L, text, 0, 0, 1, "", c.Host.Budget.Text()
	defer c.forget() // also after an error that the budget raises
	v = c.read()
	if c.failed == "" {
		if t := c.next(); t.kind != tokenEnd {
			c.expected("the end", &t)
		}
	}
	return v, c.failed
}

// forget drops references to the text that was read.
func (c *Codec) forget() {
	c.state, c.src = nil, ""
	c.values.release()
	c.reuse(c.buf)
}

// Bytes to hold: for a table without its values, for a value that waits for its table, and for the
// key of an object's member.
const (
	heldTable  = 160
	heldValue  = 64
	heldMember = 80
)

// spend spends one step and holds n bytes.
func (c *Codec) spend(n int) {
	c.Host.Budget.Work(c.state, 1)
	c.Host.Budget.Hold(c.state, n)
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

// skipSpace skips white space and returns the byte after it, or 0 at the end.
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

// read returns the next value, or nil after a failure.
func (c *Codec) read() lua.LValue {
	switch b := c.skipSpace(); b {
	case '"':
		if s, ok := c.plainString(); ok {
			return c.boxes.String(c.own(s))
		}
	case '{':
		c.pos++
		return c.readObject()
	case '[':
		c.pos++
		return c.readArray()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if f, ok := c.plainNumber(); ok {
			return c.boxes.Number(lua.LNumber(f))
		}
	}
	t := c.next()
	return c.value(&t)
}

// value returns the value of the token t, which does not begin an object or an array.
func (c *Codec) value(t *token) lua.LValue {
	switch t.kind {
	case tokenString:
		return c.boxes.String(t.text)
	case tokenNumber:
		return c.boxes.Number(lua.LNumber(t.number))
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

// descend begins an array or object that needs a number of places on Lua's stack.
func (c *Codec) descend(slots int) bool {
	c.depth++
	if c.depth > c.decodeMaxDepth || c.used+slots > maxStack {
		c.failed = fmt.Sprintf("Found too many nested data structures (%d) at character %d", c.depth, c.pos)
		return false
	}
	return true
}

// readObject reads the rest of an object after "{". The members wait in c.values until their number
// is known.
func (c *Codec) readObject() lua.LValue {
	if !c.descend(3) {
		return nil
	}
	c.spend(heldTable)
	if c.skipSpace() == '}' {
		c.pos++
		c.depth--
		return c.newTable()
	}
	mark := c.values.mark()
	c.used += 2 // the table and a key
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
		c.spend(heldValue + heldMember)
		c.values.push(key, v)
		switch c.skipSpace() {
		case ',':
			c.pos++
		case '}':
			c.pos++
			c.depth--
			c.used -= 2
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

// key returns an object's key as a value. It caches recent keys, because JSON texts repeat them.
func (c *Codec) key(s string) lua.LValue {
	if s == "" || len(s) > 32 {
		return lua.LString(strings.Clone(s))
	}
	slot := &c.keys[(int(s[0])*7+int(s[len(s)-1])*3+len(s))%len(c.keys)]
	if have, ok := (*slot).(lua.LString); !ok || string(have) != s {
		*slot = lua.LString(strings.Clone(s)) // a part of the source would keep it alive
	}
	return *slot
}

// readArray reads the rest of an array after "[".
func (c *Codec) readArray() lua.LValue {
	if !c.descend(2) {
		return nil
	}
	c.spend(heldTable)
	if c.skipSpace() == ']' {
		c.pos++
		c.depth--
		return c.marked(c.newTable())
	}
	mark := c.values.mark()
	c.used++
	for {
		v := c.read()
		if c.failed != "" {
			return nil
		}
		c.spend(heldValue)
		c.values.pushOne(v)
		switch c.skipSpace() {
		case ',':
			c.pos++
		case ']':
			c.pos++
			c.depth--
			c.used--
			tb := c.newArray(c.values.since(mark))
			c.values.drop(mark)
			return tb
		default:
			t := c.next()
			c.expected("comma or array end", &t)
			return nil
		}
	}
}
