package cjson

import (
	"math/bits"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// This file has all functions of cjson that make or read tables.

func (c *Codec) newTable() *lua.LTable { return c.Host.Hashing.Use(&lua.LTable{Metatable: lua.LNil}) }

// newObject makes a table of alternating keys and values.
func (c *Codec) newObject(members []lua.LValue) *lua.LTable {
	if !c.Bridged {
		tb := c.state.CreateTable(0, len(members)/2)
		for i := 0; i+1 < len(members); i += 2 {
			tb.RawSetString(string(members[i].(lua.LString)), members[i+1])
		}
		return tb
	}
	tb := c.Host.Hashing.Use(tables.NewObject(len(members) / 2))
	for i := 0; i+1 < len(members); i += 2 {
		tables.AddString(tb, members[i], members[i+1])
	}
	return tb
}

// marked gives an array the metatable that says so, if the setting is on.
func (c *Codec) marked(tb *lua.LTable) *lua.LTable {
	if c.arrayTables {
		mt := c.Host.Hashing.Use(tables.NewObject(1))
		tables.SetString(mt, isArray, lua.LTrue)
		if c.Guard != nil {
			c.Guard(mt)
		}
		tb.Metatable = mt
	}
	return tb
}

// newArray makes a table of a copy of values, with the room that Lua has after they were added one
// by one.
func (c *Codec) newArray(values []lua.LValue) *lua.LTable {
	room := 1 << bits.Len(uint(len(values)-1))
	return c.marked(c.Host.Hashing.Use(tables.NewArray(append(make([]lua.LValue, 0, room), values...))))
}

// element returns an element, or lua.LNil.
func element(tb *lua.LTable, i int) lua.LValue { return tables.GetInt(tb, i) }
