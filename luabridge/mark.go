package luabridge

import (
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/addresses"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// marker finds what a script can still reach, as the first half of Lua's garbage collector does. Go frees memory; what scripts
// can see of a collection is left to do: entries of weak tables go, and removed keys lose their nodes.
type marker struct {
	seen  *addresses.Set
	todo  []lua.LValue
	weak  []*lua.LTable
	walks int
	look  func(n int) // called after every n values
}

// collect is a full collection.
func (vm *VM) collect(L *lua.LState) {
	m := marker{seen: addresses.New(objectShift), look: func(n int) { vm.budget.Work(L, n) }}
	m.reach(vm.L)
	m.reach(L)
	for _, g := range vm.guarded {
		m.reach(g.thread)
		m.reach(g.caller)
	}
	m.reach(vm.env.RawGetString("KEYS"))
	m.reach(vm.env.RawGetString("ARGV"))
	m.seen.Add(unsafe.Pointer(vm.env))
	for len(m.todo) > 0 {
		v := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		switch v := v.(type) {
		case *lua.LTable:
			m.table(v)
		case *lua.LFunction:
			for _, up := range v.Upvalues {
				if up != nil {
					m.reach(up.Value())
				}
			}
		case *lua.LState:
			for _, r := range machine.Registers(v) {
				m.reach(r)
			}
			if v.Parent != nil {
				m.reach(v.Parent)
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

// reach notes a value. Strings are no objects to weak tables.
func (m *marker) reach(v lua.LValue) {
	if m.walks++; m.walks%looksEvery == 0 {
		m.look(looksEvery)
	}
	if v != nil && collectable(v) && m.seen.Add(address(v)) {
		m.todo = append(m.todo, v)
	}
}

// weakness is a table's __mode, "" when it has none.
func weakness(tb *lua.LTable) string {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		mode, _ := mt.RawGetString("__mode").(lua.LString)
		return string(mode)
	}
	return ""
}

func (m *marker) table(tb *lua.LTable) {
	if tb.Metatable != lua.LNil {
		m.reach(tb.Metatable)
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
			m.reach(key)
		}
		if !weakValues {
			m.reach(value)
		}
	})
}
