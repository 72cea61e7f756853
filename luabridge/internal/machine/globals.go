package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// globals remembers what the names of globals stand for: scripts cannot change any, and a name in a script is the same string each time, which
// its address tells without hashing.
type globals struct {
	env     *lua.LTable // the environment whose globals are remembered
	version uint64      // goes up when one of them changes
	slots   [256]global
}

// global is a name and what it stands for.
type global struct {
	name    *byte // keeps the string, and so its address
	len     int
	version uint64 // of globals, when value was found; 0: never
	value   lua.LValue
}

// SetGlobals tells which environment's globals only [Machine.ForgetGlobals] tells the changes of.
func (m *Machine) SetGlobals(env *lua.LTable) {
	m.globals.env = env
	m.ForgetGlobals()
}

// ForgetGlobals tells that a global of that environment has changed.
func (m *Machine) ForgetGlobals() { m.globals.version++ }

// global is the value of the global that an instruction loads, nil where that has to be asked otherwise.
func (m *Machine) global(cf *frame, inst uint32) lua.LValue {
	g := &m.globals
	if cf.Fn.Env != g.env {
		return nil
	}
	name := string(cf.Fn.Proto.Constants[inst&0x3ffff].(lua.LString))
	data := unsafe.StringData(name)
	at := uint64(uintptr(unsafe.Pointer(data))) * 0x9e3779b97f4a7c15 >> 56
	if slot := &g.slots[at]; slot.name == data && slot.len == len(name) && slot.version == g.version {
		return slot.value
	}
	return g.find(name, at)
}

// find is global for a name that is not in its slot: it may be in the neighbour's, where the one before it was moved.
func (g *globals) find(name string, at uint64) lua.LValue {
	data := unsafe.StringData(name)
	slot, neighbour := &g.slots[at], &g.slots[at^1]
	if neighbour.name == data && neighbour.len == len(name) && neighbour.version == g.version {
		return neighbour.value
	}
	v := g.env.RawGetString(name)
	if v == lua.LNil {
		return nil
	}
	*neighbour, *slot = *slot, global{data, len(name), g.version, v}
	return v
}
