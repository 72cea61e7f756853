package cjson

import (
	"math/bits"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// This file has all functions of cjson that make or read tables.

func newTable() *lua.LTable { return &lua.LTable{Metatable: lua.LNil} }

// newObject makes a table of alternating keys and values.
func (c *Codec) newObject(members []lua.LValue) *lua.LTable {
	if !c.Bridged {
		tb := c.state.CreateTable(0, len(members)/2)
		for i := 0; i+1 < len(members); i += 2 {
			tb.RawSetString(string(members[i].(lua.LString)), members[i+1])
		}
		return tb
	}
	tb := tables.NewObject(len(members) / 2)
	for i := 0; i+1 < len(members); i += 2 {
		tables.AddString(tb, members[i], members[i+1])
	}
	return tb
}

// newArray makes a table of a copy of values, with the room that Lua has after they were added one
// by one.
func newArray(values []lua.LValue) *lua.LTable {
	room := 1 << bits.Len(uint(len(values)-1))
	return tables.NewArray(append(make([]lua.LValue, 0, room), values...))
}

// element returns an element, or lua.LNil.
func element(tb *lua.LTable, i int) lua.LValue { return tables.GetInt(tb, i) }
