package tables

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Bury does to a table what Lua's garbage collector does: strings and other collectable keys that were removed leave their nodes
// to be found by next only, so that they do not return to them.
func Bury(tb *lua.LTable) {
	p := opened(tb).parts()
	if p == nil {
		return
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.value != nil || n.key == nil {
			continue
		}
		switch n.key.(type) {
		case lua.LString, *lua.LTable, *lua.LFunction, *lua.LState:
			n.next |= buried
		}
	}
}

// Weed removes the entries of a weak table whose key or value is gone, and buries their keys.
func Weed(tb *lua.LTable, gone func(lua.LValue) bool) {
	l := opened(tb)
	p := l.part()
	for i, v := range l.array {
		if v != lua.LNil && gone(v) {
			l.array[i] = lua.LNil
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.value == nil || !gone(n.key) && !gone(l.value(n)) {
			continue
		}
		if s, ok := n.key.(lua.LString); ok {
			delete(l.strdict, string(s))
		}
		n.value = nil
	}
	Bury(tb)
}

// Visit calls f for each key and value of a table, in no order that means anything; it does not change the table.
func Visit(tb *lua.LTable, f func(key, value lua.LValue)) {
	l := opened(tb)
	for _, v := range l.array {
		f(lua.LNil, v)
	}
	for _, v := range l.strdict {
		f(lua.LNil, v)
	}
	for k, v := range l.dict {
		f(k, v)
	}
	if p := l.parts(); p != nil {
		for i := range p.nodes {
			if n := &p.nodes[i]; n.value != nil {
				f(n.key, n.value)
			}
		}
	}
}

// Footprint is about how many bytes a table takes, without what its values take.
func Footprint(tb *lua.LTable) int64 {
	const base, slot, entry, nodeSize = 136, 16, 56, int64(unsafe.Sizeof(node{}))
	l := opened(tb)
	size := int64(base + slot*(cap(l.array)+cap(l.keys)) + entry*(len(l.strdict)+len(l.dict)))
	if p := l.parts(); p != nil {
		return size + nodeSize*int64(cap(p.nodes))
	}
	for k := range l.strdict {
		size += int64(len(k))
	}
	return size
}
