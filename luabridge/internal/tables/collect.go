package tables

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/reply"
)

// Bury does what Lua's garbage collector does to a table. Strings and other collectable keys that
// were removed leave nodes that only next finds, so the keys do not return to them.
func Bury(tb *lua.LTable) {
	p := opened(tb).parts()
	if p == nil || p.frozen {
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

// Weed removes the entries of a weak table whose key or value is gone. It buries their keys.
func Weed(tb *lua.LTable, gone func(lua.LValue) bool) {
	l := opened(tb)
	p := l.split()
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

// Visit calls f for each key and value of a table, in no particular order. For removed keys that
// are still stored, the value is LNil. It does not change the table. A table that is still a reply
// has no entries here.
func Visit(tb *lua.LTable, f func(key, value lua.LValue)) {
	l := look(tb)
	if _, ok := Pending(tb); ok {
		return
	}
	for _, v := range l.array {
		f(lua.LNil, v)
	}
	for _, v := range l.strdict {
		f(lua.LNil, v)
	}
	for k, v := range l.dict {
		f(k, v)
	}
	p := l.parts()
	if p == nil {
		for _, k := range l.keys {
			f(k, lua.LNil)
		}
		return
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		switch {
		case n.value != nil:
			f(n.key, n.value)
		case n.key != nil:
			f(n.key, lua.LNil)
		}
	}
}

// Footprint returns the approximate size of a table in bytes, without its values.
func Footprint(tb *lua.LTable) int64 {
	const base, slot, entry, nodeSize = 136, 16, 56, int64(unsafe.Sizeof(node{}))
	l := look(tb)
	if v, ok := Pending(tb); ok {
		return base + replySize(v)
	}
	size := int64(base + slot*(cap(l.array)+cap(l.keys)) + entry*(len(l.strdict)+len(l.dict)))
	p := l.parts()
	if p == nil {
		return size
	}
	if removed := len(p.nodes) - len(l.strdict); l.strdict != nil && removed > len(p.nodes)/2 {
		for i := range p.nodes { // a map keeps its size if keys are removed
			if _, ok := p.nodes[i].key.(lua.LString); ok && p.nodes[i].value == nil {
				size += entry
			}
		}
	}
	return size + nodeSize*int64(cap(p.nodes))
}

// replySize returns the approximate size of a reply in bytes, including the elements that are made
// from it.
func replySize(v reply.Value) int64 {
	const value, element = int64(unsafe.Sizeof(reply.Value{})), 32
	list := v.Slice()
	size := (value + element) * int64(len(list))
	for i := range list {
		if list[i].Slice() != nil {
			size += replySize(list[i])
		} else {
			size += list[i].WireSize()
		}
	}
	return size
}
