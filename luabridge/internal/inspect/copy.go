package inspect

import (
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// copier copies tables into tables of gopher-lua's own layout, because gopher-json reads them by
// gopher-lua's functions.
type copier struct {
	limits  limits
	shown   func(*lua.LTable) *lua.LTable
	open    map[*lua.LTable]bool // the tables that are being copied
	entries int                  // keys and values so far
	text    int                  // bytes of strings so far
	binary  bool                 // a string is not UTF-8
	err     error                // why the copy cannot be used
}

// table copies a table and the tables in it.
func (c *copier) table(tb *lua.LTable) *lua.LTable {
	copied := &lua.LTable{Metatable: lua.LNil}
	switch {
	case c.open[tb]:
		c.err = errCycle
	case len(c.open) == maxDepth:
		c.err = errDeep
	}
	if c.err != nil {
		return copied
	}
	c.open[tb] = true
	defer delete(c.open, tb)
	from, size := c.shown(tb), 0
	tables.Each(from, func(tables.Entry) bool {
		size++
		return size <= c.limits.entries
	})
	tables.Each(from, func(e tables.Entry) bool {
		key, value := c.value(e.Key), c.value(e.Value)
		if c.err != nil {
			return false
		}
		if n, ok := key.(lua.LNumber); ok && n > lua.LNumber(size) { // gopher-lua allocates room for all smaller numbers
			copied.RawSetH(n, value)
		} else {
			copied.RawSet(key, value)
		}
		return true
	})
	return copied
}

// value copies a key or a value.
func (c *copier) value(v lua.LValue) lua.LValue {
	c.entries++
	switch v := v.(type) {
	case lua.LString:
		c.text += len(v)
		c.binary = c.binary || !utf8.ValidString(string(v))
	case *lua.LTable:
		if c.err == nil {
			return c.table(v)
		}
	}
	if c.err == nil && (c.entries > c.limits.entries || c.text > c.limits.text) {
		c.err = errLarge
	}
	return v
}
