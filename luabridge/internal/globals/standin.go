package globals

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// guarded is the mark of a table that scripts cannot change and of its stand-in. It is an LValue
// only to fit into their metatables.
type guarded struct {
	lua.LValue
	real, standIn *lua.LTable
	shown         func() *lua.LTable // what walks see; nil: real
	meta          lua.LValue         // what getmetatable returns for the stand-in
}

// markOf returns the mark of a table, or nil.
func markOf(tb *lua.LTable) *guarded {
	mt, ok := tb.Metatable.(*lua.LTable)
	if !ok {
		return nil
	}
	mark, _ := tables.Mark(mt).(*guarded)
	return mark
}

// guard makes the stand-in of a table, which must have no metatable or one of ours. refuse is the
// __newindex of tables that scripts cannot change.
func guard(tb *lua.LTable, refuse *lua.LFunction) *guarded {
	g := &guarded{real: tb, standIn: &lua.LTable{Metatable: lua.LNil}, meta: lua.LNil}
	mt := metatable(tb, refuse)
	tables.SetMark(mt, g)
	g.standIn.Metatable = mt
	own, ok := tb.Metatable.(*lua.LTable)
	if !ok {
		own = &lua.LTable{Metatable: lua.LNil}
		tb.Metatable = own
	}
	tables.SetMark(own, g)
	return g
}

// metatable returns a table with the field __index and, unless it is nil, __newindex.
func metatable(index lua.LValue, newindex *lua.LFunction) *lua.LTable {
	mt := tables.NewObject(2)
	tables.SetString(mt, "__index", index)
	if newindex != nil {
		tables.SetString(mt, "__newindex", newindex)
	}
	return mt
}

// Real returns the table behind a stand-in, and other tables as they are.
func Real(tb *lua.LTable) *lua.LTable {
	if g := markOf(tb); g != nil {
		return g.real
	}
	return tb
}

// StandIn returns the stand-in of a table that has one, and other tables as they are.
func StandIn(tb *lua.LTable) *lua.LTable {
	if g := markOf(tb); g != nil {
		return g.standIn
	}
	return tb
}

// Shown returns the table that walks over tb see. It equals the table of [Real], but the
// globals come without aliases and in Redis's order.
func Shown(tb *lua.LTable) *lua.LTable {
	g := markOf(tb)
	switch {
	case g == nil:
		return tb
	case g.shown != nil:
		return g.shown()
	}
	return g.real
}
