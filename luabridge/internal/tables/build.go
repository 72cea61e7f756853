package tables

import (
	lua "github.com/yuin/gopher-lua"
)

// NewObject returns an empty table with room for n string keys, to be filled by [AddString].
func NewObject(n int) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	l := look(tb)
	l.strdict = make(map[string]lua.LValue, n)
	l.keys = make([]lua.LValue, 0, n)
	l.k2i = make(map[lua.LValue]int, n)
	return tb
}

// AddString is RawSetString for a table of [NewObject] and a key that is already a Lua value, which
// must be an lua.LString: the key is not boxed again.
func AddString(tb *lua.LTable, key, value lua.LValue) {
	l := look(tb)
	n := len(l.strdict)
	l.strdict[string(key.(lua.LString))] = value
	if len(l.strdict) > n {
		l.k2i[key] = len(l.keys)
		l.keys = append(l.keys, key)
	}
}

// Replace sets the value of a string key that the table has.
func Replace(tb *lua.LTable, key string, value lua.LValue) { look(tb).strdict[key] = value }

// NewArray returns a table that holds values as its elements 1 to n. The slice is kept.
func NewArray(values []lua.LValue) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	look(tb).array = values
	return tb
}
