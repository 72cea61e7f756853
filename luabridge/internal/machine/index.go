package machine

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// maxLoop is how long a chain of __index or __newindex tables may be.
const maxLoop = 100

// Index is object[key], with metamethods.
func (m *Machine) Index(L *lua.LState, object, key lua.LValue) lua.LValue {
	for range maxLoop {
		tb, isTable := object.(*lua.LTable)
		if isTable {
			if v := tables.Get(tb, key); v != lua.LNil {
				return v
			}
		}
		handler := metamethod(L, object, "__index")
		switch {
		case handler == lua.LNil && isTable:
			return lua.LNil
		case handler == lua.LNil:
			m.badIndex(L, object)
		case handler.Type() == lua.LTFunction:
			L.Push(handler)
			L.Push(object)
			L.Push(key)
			L.Call(2, 1)
			v := L.Get(-1)
			L.Pop(1)
			return v
		}
		object = handler
	}
	L.RaiseError("loop in gettable")
	return nil
}

// SetIndex is object[key] = value, with metamethods.
func (m *Machine) SetIndex(L *lua.LState, object, key, value lua.LValue) {
	for range maxLoop {
		tb, isTable := object.(*lua.LTable)
		handler := lua.LValue(lua.LNil)
		if !isTable || tb.Metatable != lua.LNil && tables.Get(tb, key) == lua.LNil {
			handler = metamethod(L, object, "__newindex")
		}
		if isTable && handler != m.Refuse {
			if !usable(key) {
				if key == lua.LNil {
					L.RaiseError("table index is nil")
				}
				L.RaiseError("table index is NaN")
			}
			if handler == lua.LNil {
				tables.Set(tb, key, value)
				return
			}
			tables.Set(tb, key, lua.LNil) // Lua makes room for the key before it asks for the metamethod
		}
		switch {
		case handler == lua.LNil:
			m.badIndex(L, object)
		case handler.Type() == lua.LTFunction:
			L.Push(handler)
			L.Push(object)
			L.Push(key)
			L.Push(value)
			L.Call(3, 0)
			return
		}
		object = handler
	}
	L.RaiseError("loop in settable")
}

// badIndex complains in gopher-lua's words, which name no variable; luabridge does.
func (m *Machine) badIndex(L *lua.LState, object lua.LValue) {
	L.RaiseError("attempt to index a non-table object(%s) with key ''", object.Type().String())
}

// metamethod is a field of a value's metatable.
func metamethod(L *lua.LState, v lua.LValue, event string) lua.LValue {
	var mt lua.LValue
	switch v := v.(type) {
	case *lua.LTable:
		mt = v.Metatable
	case *lua.LUserData:
		mt = v.Metatable
	default:
		mt = L.GetMetatable(v)
	}
	if tb, ok := mt.(*lua.LTable); ok {
		return tb.RawGetString(event)
	}
	return lua.LNil
}

// concat joins the registers first to last into ra: numbers as %.14g, metamethods from the right.
func (m *Machine) concat(L *lua.LState, cf *frame, ra, first, last int) {
	reg := look(L).reg
	buf := m.buf[:0]
	for i := first; i <= last; i++ {
		switch v := reg.array[i].(type) {
		case lua.LString:
			buf = append(buf, v...)
		case lua.LNumber:
			buf = numbers.Append(buf, float64(v), 14)
		default:
			v = m.concatMeta(L, first, last)
			m.set(reg, ra, v)
			return
		}
	}
	if cap(buf) <= 1<<16 {
		m.buf = buf
	}
	m.set(reg, ra, lua.LString(buf))
}

// concatMeta is concat where an operand is neither a string nor a number.
func (m *Machine) concatMeta(L *lua.LState, first, last int) lua.LValue {
	reg := look(L).reg
	acc := reg.array[last]
	for i := last - 1; i >= first; i-- {
		left := reg.array[i]
		a, ok := text(left)
		b, ok2 := text(acc)
		if ok && ok2 {
			acc = lua.LString(a + b)
			continue
		}
		handler := metamethod(L, left, "__concat")
		if handler == lua.LNil {
			handler = metamethod(L, acc, "__concat")
		}
		if handler == lua.LNil {
			if ok {
				m.Concat(L, i+1-first, acc)
			}
			m.Concat(L, i-first, left)
		}
		L.Push(handler)
		L.Push(left)
		L.Push(acc)
		L.Call(2, 1)
		acc = L.Get(-1)
		L.Pop(1)
	}
	return acc
}

func text(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numbers.Text(float64(v)), true
	}
	return "", false
}
