package tables

import (
	lua "github.com/yuin/gopher-lua"
)

// Get returns the value of any key, without metamethods; LNil where there is none.
func Get(tb *lua.LTable, key lua.LValue) lua.LValue { return tb.RawGet(key) }

// GetInt is [Get] for an integer key.
func GetInt(tb *lua.LTable, i int) lua.LValue { return tb.RawGet(lua.LNumber(i)) }

// Set gives a key a value, without metamethods. The key must be neither nil nor NaN; the value LNil removes the key.
func Set(tb *lua.LTable, key, value lua.LValue) { tb.RawSet(key, value) }

// SetInt is [Set] for an integer key.
func SetInt(tb *lua.LTable, i int, value lua.LValue) { tb.RawSet(lua.LNumber(i), value) }

// SetString is [Set] for a string key.
func SetString(tb *lua.LTable, key string, value lua.LValue) { tb.RawSetString(key, value) }

// Len is Lua's # operator without metamethods.
func Len(tb *lua.LTable) int { return tb.Len() }
