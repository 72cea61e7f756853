package convert

import (
	"slices"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// Bytes to hold during a conversion: for a table made from a reply, and for each of its elements,
// keys or values with their boxes; for the list of a reply made from a table, and for each of its
// elements.
const (
	heldTable        = 160
	heldElement      = 48
	heldEntry        = 120
	heldReply        = 48
	heldReplyElement = 48
)

// FromReply is ToLua for the reply of a command. It spends the budget.
func (c *Converter) FromReply(L *lua.LState, v reply.Value) lua.LValue {
	list := v.Slice()
	if list == nil {
		return c.ToLua(v)
	}
	if c.Proto == 2 && len(list) <= fewScalars && v.Kind() == reply.KindArray && !slices.ContainsFunc(list, isLarge) {
		c.Budget.Work(L, 1+len(list)) // too little to hold
		return c.fewElements(list)
	}
	held := c.Budget.Held()
	c.weighReply(L, v, nil)
	result := c.ToLua(v)
	c.Budget.Release(held)
	return result
}

// weighReply holds the bytes that the Lua value of a reply will need, with its texts: a loop that
// doubles a list of long texts takes few steps. A long text counts once, as its strings share their
// bytes. seen has those that were counted; it may be nil. weighReply may recurse: replies of Redis
// commands nest only a few levels deep.
func (c *Converter) weighReply(L *lua.LState, v reply.Value, seen map[*byte]bool) {
	list := v.Slice()
	c.Budget.Work(L, 1+len(list))
	each := heldElement
	if kind := v.Kind(); kind != reply.KindArray && c.Proto > 2 {
		each = heldEntry
	}
	size := heldTable + each*len(list)
	for i := range list {
		if list[i].Slice() != nil {
			c.weighReply(L, list[i], seen)
		} else if isLarge(list[i]) {
			text := list[i].Text()
			if seen == nil {
				seen = map[*byte]bool{}
			}
			if at := unsafe.StringData(text); !seen[at] {
				seen[at] = true
				size += len(text)
			}
		} else if list[i].Kind() == reply.KindBulk {
			size += len(list[i].Text())
		}
	}
	c.Budget.Hold(L, size)
}

// ToLua returns what redis.call returns for a reply, in the protocol that redis.setresp has set.
func (c *Converter) ToLua(v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindBulk:
		return c.Boxes.String(v.Text())
	case reply.KindInt:
		return boxes.Int(int(v.MustInt()))
	case reply.KindNil, reply.KindNilArray, reply.KindNone:
		if c.Proto == 2 {
			return lua.LFalse
		}
		return lua.LNil
	case reply.KindStatus:
		return c.Field("ok", lua.LString(v.Text()))
	case reply.KindError:
		return c.ErrorTable(v.Text(), true)
	case reply.KindArray, reply.KindPush:
		return c.toArray(v)
	}
	if c.Proto == 2 {
		return c.flatten(v)
	}
	switch v.Kind() {
	case reply.KindMap:
		tb := c.Hashing.Use(tables.NewObject(v.Len() / 2))
		for i, s := 0, v.Slice(); i+1 < len(s); i += 2 {
			setRaw(tb, c.ToLua(s[i]), c.ToLua(s[i+1]))
		}
		return c.Field("map", tb)
	case reply.KindSet:
		tb := c.Hashing.Use(tables.NewObject(v.Len()))
		for _, e := range v.Slice() {
			setRaw(tb, c.ToLua(e), lua.LTrue)
		}
		return c.Field("set", tb)
	case reply.KindDouble:
		return c.Field("double", lua.LNumber(v.MustFloat()))
	case reply.KindBool:
		return lua.LBool(v.MustBool())
	case reply.KindBigNumber:
		return c.Field("big_number", lua.LString(v.Text()))
	case reply.KindVerbatim:
		tb := c.Hashing.Use(tables.NewObject(2))
		tables.SetString(tb, "string", lua.LString(v.Text()))
		tables.SetString(tb, "format", lua.LString(v.Format()))
		return c.Field("verbatim_string", tb)
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return c.ToLua(s[len(s)-1])
	}
	return lua.LNil
}

// flatten is ToLua for the kinds that RESP2 does not have.
func (c *Converter) flatten(v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindMap, reply.KindSet:
		return c.toArray(v)
	case reply.KindBool:
		return boxes.Int(int(v.MustInt()))
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return c.ToLua(s[len(s)-1])
	}
	return c.Boxes.String(v.Text())
}

// fewScalars is the largest number of elements of a reply whose table is filled immediately.
const fewScalars = 16

// toArray makes a table of an array. If the reply contains arrays or many elements, the table is
// filled at the first access: most scripts read few of them, and some return them as they are.
func (c *Converter) toArray(v reply.Value) lua.LValue {
	list := v.Slice()
	if c.Proto == 2 {
		if len(list) > fewScalars || slices.ContainsFunc(list, isArray) {
			return c.Hashing.Use(tables.NewPending(v, c.open))
		}
		return c.fewElements(list)
	}
	room := c.Hashing.Room(len(list))
	if c.Hashing == tables.OwnHashing && slices.ContainsFunc(list, isNil) {
		room = 0 // with holes the length depends on how Lua's table grows
	}
	tb := c.Hashing.Use(tables.New(room, 0))
	for i, e := range list {
		tables.SetInt(tb, i+1, c.ToLua(e))
	}
	return tb
}

// fewElements makes a table of an array of RESP2 that contains no arrays.
func (c *Converter) fewElements(list []reply.Value) *lua.LTable {
	tb, values := tables.NewElements(len(list), c.Hashing.Room(len(list)))
	c.fill(values, list)
	return c.Hashing.Use(tb)
}

// fill makes the values of an array of RESP2.
func (c *Converter) fill(values []lua.LValue, list []reply.Value) {
	for i := range list {
		if e := &list[i]; e.Kind() == reply.KindBulk {
			values[i] = c.Boxes.String(e.Text())
		} else {
			values[i] = c.ToLua(*e)
		}
	}
}

// elements makes the values of an array of RESP2.
func (c *Converter) elements(v reply.Value) []lua.LValue {
	proto := c.Proto
	c.Proto = 2
	values := make([]lua.LValue, v.Len(), c.Hashing.Room(v.Len()))
	c.fill(values, v.Slice())
	c.Proto = proto
	return values
}

func isArray(v reply.Value) bool { return v.Kind() == reply.KindArray }

// isLarge reports whether the bytes of a value must be held: it is a list or a long text.
func isLarge(v reply.Value) bool {
	return v.Slice() != nil || v.Kind() == reply.KindBulk && len(v.Text()) > 4<<10
}

// deepest is the limit of nested arrays in a reply that is returned as it is.
const deepest = 8

// same reports whether an array reply comes out of Lua as it went in.
func same(v reply.Value, depth int) bool {
	for _, e := range v.Slice() {
		switch e.Kind() {
		case reply.KindBulk, reply.KindNil:
		case reply.KindInt:
			if n := e.MustInt(); n > 1<<53 || n < -1<<53 {
				return false
			}
		case reply.KindArray:
			if depth == 0 || !same(e, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isNil(v reply.Value) bool {
	switch v.Kind() {
	case reply.KindNil, reply.KindNilArray, reply.KindNone:
		return true
	}
	return false
}

// setRaw sets a field unless Lua cannot use the key.
func setRaw(tb *lua.LTable, k, v lua.LValue) {
	if n, ok := k.(lua.LNumber); k != lua.LNil && (!ok || n == n) {
		tables.Set(tb, k, v)
	}
}
