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
	slots   []global
	shift   uint8 // 64 less log2 of the number of slots
	lost    int   // values that others have displaced
}

// log2 of the number of slots: at first, and at most. The number doubles when as many values have
// been displaced.
const (
	fewSlots  = 5
	manySlots = 8
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
	m.globals = globals{env: env, get: get, version: m.globals.version}
	m.globals.makeSlots(fewSlots)
	m.ForgetGlobals()
}

func (g *globals) makeSlots(log int) {
	g.slots, g.shift, g.lost = make([]global, 1<<log), uint8(64-log), 0
}

// ForgetGlobals empties the cache.
func (m *Machine) ForgetGlobals() { m.globals.version++ }

// global returns the value of the global that an instruction loads, or nil if the cache cannot give
// it.
func (m *Machine) global(cf *frame, inst uint32) lua.LValue {
	g := &m.globals
	if cf.Fn.Env != g.env {
		return nil
	}
	name := string(cf.Fn.Proto.Constants[inst&0x3ffff].(lua.LString))
	data := unsafe.StringData(name)
	at := uint64(uintptr(unsafe.Pointer(data))) * 0x9e3779b97f4a7c15 >> (g.shift & 63)
	if slot := &g.slots[at]; slot.name == data && slot.len == len(name) && slot.version == g.version {
		return slot.value
	}
	return g.find(name, at)
}

// find is global for a name that is not in its slot. It may be in the neighbouring slot, where it
// was moved when another name took its own.
func (g *globals) find(name string, at uint64) lua.LValue {
	data := unsafe.StringData(name)
	slot, neighbour := &g.slots[at], &g.slots[at^1]
	if neighbour.name == data && neighbour.len == len(name) && neighbour.version == g.version {
		return neighbour.value
	}
	v := g.get(name)
	if v == lua.LNil {
		return nil
	}
	if neighbour.version == g.version {
		if g.lost++; g.lost > len(g.slots) && g.shift > 64-manySlots {
			g.makeSlots(64 - int(g.shift) + 1)
			return v
		}
	}
	*neighbour, *slot = *slot, global{data, len(name), g.version, v}
	return v
}
