package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// globals caches the values of globals. Scripts cannot change globals. A name in the code of a
// script is the same string each time, so its address identifies it without hashing.
type globals struct {
	env     *lua.LTable                  // the environment whose globals are cached
	get     func(name string) lua.LValue // returns a global of it, or LNil
	version uint64                       // incremented when a global changes
	slots   [1 << slotBits]global
	lost    int                    // values that others have displaced
	more    *[1 << moreBits]global // behind slots; nil until many values have been displaced
}

// log2 of the numbers of slots.
const (
	slotBits = 6
	moreBits = 9
)

// global is a name and its value.
type global struct {
	name    *byte // keeps the string, and so its address
	len     int
	version uint64 // globals.version when value was found; 0: never
	value   lua.LValue
}

// SetGlobals sets the environment whose globals are cached. get returns a global of it, or LNil.
// Whoever changes one of them must call [Machine.ForgetGlobals].
func (m *Machine) SetGlobals(env *lua.LTable, get func(name string) lua.LValue) {
	m.globals.env, m.globals.get = env, get
	m.ForgetGlobals()
}

// ForgetGlobals empties the cache.
func (m *Machine) ForgetGlobals() { m.globals.version++ }

// ForgetGlobal drops a value from the cache.
func (m *Machine) ForgetGlobal(v lua.LValue) {
	g := &m.globals
	for i := range g.slots {
		if g.slots[i].value == v {
			g.slots[i] = global{}
		}
	}
	if g.more != nil {
		for i := range g.more {
			if g.more[i].value == v {
				g.more[i] = global{}
			}
		}
	}
}

// global returns the value of the global that an instruction loads, or nil if the cache cannot give
// it.
func (m *Machine) global(cf *frame, inst uint32) lua.LValue {
	g := &m.globals
	if cf.Fn.Env != g.env {
		return nil
	}
	name := string(cf.Fn.Proto.Constants[inst&0x3ffff].(lua.LString))
	data := unsafe.StringData(name)
	hash := uint64(uintptr(unsafe.Pointer(data))) * 0x9e3779b97f4a7c15
	if slot := &g.slots[hash>>(64-slotBits)]; slot.name == data && slot.len == len(name) && slot.version == g.version {
		return slot.value
	}
	return g.find(name, hash)
}

// find is global for a name that is not in its slot. It may be in the neighbouring slot, where it
// was moved when another name took its own, or behind the slots.
func (g *globals) find(name string, hash uint64) lua.LValue {
	data, at := unsafe.StringData(name), hash>>(64-slotBits)
	slot, neighbour := &g.slots[at], &g.slots[at^1]
	if neighbour.name == data && neighbour.len == len(name) && neighbour.version == g.version {
		return neighbour.value
	}
	var behind *global
	if g.more != nil {
		behind = &g.more[hash>>(64-moreBits)]
		if behind.name == data && behind.len == len(name) && behind.version == g.version {
			return behind.value
		}
	}
	v := g.get(name)
	if v == lua.LNil {
		return nil
	}
	found := global{data, len(name), g.version, v}
	switch {
	case behind != nil && neighbour.version == g.version:
		*behind = found
		return v
	case neighbour.version == g.version:
		if g.lost++; g.lost > len(g.slots) {
			g.more = new([1 << moreBits]global)
		}
	}
	*neighbour, *slot = *slot, found
	return v
}
