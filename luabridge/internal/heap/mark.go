package heap

import (
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/addresses"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Marker finds what a script can still reach, as the first half of Lua's garbage collector does. Go
// frees the memory. Only what scripts can see of a collection remains to be done: entries of weak
// tables go, and removed keys lose their nodes.
type Marker struct {
	seen  *addresses.Set
	todo  []lua.LValue
	weak  []*lua.LTable
	walks int
	look  func(n int) // called after every n values
}

// NewMarker returns a marker. look is called after every n values.
func NewMarker(look func(n int)) *Marker {
	return &Marker{seen: addresses.New(objectShift), look: look}
}

// Seen makes the marker treat an object as reached without looking into it.
func (m *Marker) Seen(tb *lua.LTable) { m.seen.Add(unsafe.Pointer(tb)) }

// Collect does what a full collection does, after all roots have been given to Reach.
func (m *Marker) Collect() {
	for len(m.todo) > 0 {
		v := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		switch v := v.(type) {
		case *lua.LTable:
			m.table(v)
		case *lua.LFunction:
			for _, up := range v.Upvalues {
				if up != nil {
					m.Reach(up.Value())
				}
			}
		case *lua.LState:
			for _, r := range machine.Registers(v) {
				m.Reach(r)
			}
			if v.Parent != nil {
				m.Reach(v.Parent)
			}
		}
	}
	for _, tb := range m.weak {
		tables.Weed(tb, func(v lua.LValue) bool { return collectable(v) && !m.seen.Has(address(v)) })
	}
}

func collectable(v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LTable, *lua.LState:
		return true
	case *lua.LFunction:
		return !v.IsG || len(v.Upvalues) > 0 // library functions stay
	}
	return false
}

// address returns the address of a collectable value.
func address(v lua.LValue) unsafe.Pointer {
	switch v := v.(type) {
	case *lua.LTable:
		return unsafe.Pointer(v)
	case *lua.LState:
		return unsafe.Pointer(v)
	case *lua.LFunction:
		return unsafe.Pointer(v)
	}
	return nil
}

// Reach takes a value into account. Strings are not objects to weak tables.
func (m *Marker) Reach(v lua.LValue) {
	if m.walks++; m.walks%looksEvery == 0 {
		m.look(looksEvery)
	}
	if v != nil && collectable(v) && m.seen.Add(address(v)) {
		m.todo = append(m.todo, v)
	}
}

// weakness returns a table's __mode, or "".
func weakness(tb *lua.LTable) string {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		mode, _ := mt.RawGetString("__mode").(lua.LString)
		return string(mode)
	}
	return ""
}

func (m *Marker) table(tb *lua.LTable) {
	if tb.Metatable != lua.LNil {
		m.Reach(tb.Metatable)
	}
	mode := weakness(tb)
	weakKeys, weakValues := strings.Contains(mode, "k"), strings.Contains(mode, "v")
	if weakKeys || weakValues {
		m.weak = append(m.weak, tb)
	} else {
		tables.Bury(tb)
	}
	tables.Visit(tb, func(key, value lua.LValue) {
		if value == lua.LNil {
			return
		}
		if !weakKeys {
			m.Reach(key)
		}
		if !weakValues {
			m.Reach(value)
		}
	})
}
