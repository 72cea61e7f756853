package tables

import (
	lua "github.com/yuin/gopher-lua"
)

// Freeze prepares a table for being read on several goroutines. From then on nobody may change it.
// To read another table may change its inside: a walk splits a logged table, for example.
func Freeze(tb *lua.LTable) {
	p := opened(tb).split()
	p.frozen = true
}

// SetMark puts a mark into a metatable of ours, which scripts cannot see and which has no elements.
// A script cannot make a mark, so what has one is ours.
func SetMark(mt *lua.LTable, mark lua.LValue) { look(mt).array = []lua.LValue{mark} }

// Mark returns the mark of a metatable. For a metatable without one it returns any value, or nil.
func Mark(mt *lua.LTable) lua.LValue {
	if array := look(mt).array; len(array) > 0 {
		return array[0]
	}
	return nil
}
