package baselib

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// next is next(table [, key]).
func (b *Library) next(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return b.Type(L, 1, "table")
	}
	var key, value lua.LValue
	if b.shuffled.seed != 0 {
		key, value = b.shuffled.after(b, L, b.Shown(tb), L.Get(2))
	} else if key, value, ok = b.cursor.Next(b.Shown(tb), L.Get(2)); !ok {
		b.Throw(L, lua.LString("invalid key to 'next'"))
	}
	L.Push(key)
	if key == lua.LNil {
		return 1
	}
	L.Push(value)
	return 2
}

func (b *Library) pairs(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LTable); !ok {
		return b.Type(L, 1, "table")
	}
	L.Push(b.Next)
	L.Push(L.Get(1))
	L.Push(lua.LNil)
	return 3
}

func (b *Library) ipairs(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LTable); !ok {
		return b.Type(L, 1, "table")
	}
	L.Push(b.Step)
	L.Push(L.Get(1))
	L.Push(boxes.Int(0))
	return 3
}

// step is the function that ipairs returns.
func (b *Library) step(L *lua.LState) int {
	i := b.Int(L, 2) + 1
	v := tables.GetInt(b.Table(L, 1), i)
	if v == lua.LNil {
		return 0
	}
	L.Push(boxes.Int(i))
	L.Push(v)
	return 2
}
