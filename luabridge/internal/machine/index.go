package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// maxLoop is the limit of a chain of __index or __newindex tables.
const maxLoop = 100

// index returns object[key], with metamethods. The object is operand n of the instruction.
func (m *Machine) index(L *lua.LState, object, key lua.LValue, n int) lua.LValue {
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
			m.Blame(L, "index", n, object)
		case handler.Type() == lua.LTFunction:
			return call(L, handler, object, key)
		}
		object, n = handler, -1
	}
	fail(L, "loop in gettable")
	return nil
}

// SetIndex assigns object[key] = value, with metamethods.
func (m *Machine) SetIndex(L *lua.LState, object, key, value lua.LValue) {
	n := 0
	for range maxLoop {
		tb, isTable := object.(*lua.LTable)
		handler := lua.LValue(lua.LNil)
		if !isTable || tb.Metatable != lua.LNil && tables.Get(tb, key) == lua.LNil {
			handler = metamethod(L, object, "__newindex")
		}
		if isTable && handler == m.Refuse { // Lua has no function there
			fail(L, "%s", m.Refused)
		}
		if isTable {
			if !usable(key) {
				if key == lua.LNil {
					fail(L, "table index is nil")
				}
				fail(L, "table index is NaN")
			}
			if handler == lua.LNil {
				tables.Set(tb, key, value)
				return
			}
			tables.Set(tb, key, lua.LNil) // Lua makes room for the key before it reads the metamethod
		}
		switch {
		case handler == lua.LNil:
			m.Blame(L, "index", n, object)
		case handler.Type() == lua.LTFunction:
			L.Push(handler)
			L.Push(object)
			L.Push(key)
			L.Push(value)
			L.Call(3, 0)
			return
		}
		object, n = handler, -1
	}
	fail(L, "loop in settable")
}

// metamethod returns a field of a value's metatable.
func metamethod(L *lua.LState, v lua.LValue, event string) lua.LValue {
	switch v := v.(type) {
	case *lua.LTable:
		return tableMetamethod(v, event)
	case lua.LString:
		if mt, ok := L.GetMetatable(v).(*lua.LTable); ok {
			return mt.RawGetString(event)
		}
	}
	return lua.LNil
}

func tableMetamethod(tb *lua.LTable, event string) lua.LValue {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		return mt.RawGetString(event)
	}
	return lua.LNil
}

// call calls a metamethod for one result.
func call(L *lua.LState, handler, a, b lua.LValue) lua.LValue {
	L.Push(handler)
	L.Push(a)
	L.Push(b)
	L.Call(2, 1)
	v := L.Get(-1)
	L.Pop(1)
	return v
}

// large is the length in bytes from which a string is not copied from the buffer. The budget is
// checked before such a string is made.
const large = 1 << 16

// concat joins the registers first to last into ra. Numbers are written as %.14g. Metamethods are
// called from the right.
func (m *Machine) concat(L *lua.LState, cf *frame, ra, first, last int) {
	reg := look(L).reg
	buf := m.buf[:0]
	for i := first; i <= last; i++ {
		switch v := reg.array[i].(type) {
		case lua.LString:
			if len(buf)+len(v) >= large {
				buf = m.grow(L, buf, reg.array[i:last+1])
			}
			buf = append(buf, v...)
		case lua.LNumber:
			buf = numbers.Append(buf, float64(v), 14)
		default:
			v = m.concatMeta(L, first, last)
			m.set(reg, ra, v)
			return
		}
	}
	if len(buf) >= large { // buf is not reused, so it need not be copied
		m.set(reg, ra, lua.LString(unsafe.String(unsafe.SliceData(buf), len(buf))))
		return
	}
	if cap(buf) <= 1<<16 {
		m.buf = buf
	}
	m.allocate(L, len(buf))
	m.set(reg, ra, m.boxes.String(string(buf)))
}

// grow makes room in buf for a long string with the texts of v.
func (m *Machine) grow(L *lua.LState, buf []byte, v []lua.LValue) []byte {
	const number = 32 // largest number of bytes of a number
	n := len(buf)
	for _, v := range v {
		n += number
		if s, ok := v.(lua.LString); ok {
			n += len(s) - number
		}
	}
	if n <= cap(buf) {
		return buf
	}
	if !m.Budget.Fits(n - number*len(v)) {
		fail(L, "string length overflow")
	}
	m.Budget.Ask(L, n)
	m.Budget.Work(L, n>>8)
	return append(make([]byte, 0, n), buf...)
}

// concatMeta is concat if an operand is neither a string nor a number.
func (m *Machine) concatMeta(L *lua.LState, first, last int) lua.LValue {
	reg := look(L).reg
	acc := reg.array[last]
	for i := last - 1; i >= first; i-- {
		left := reg.array[i]
		a, ok := args.Text(left)
		b, ok2 := args.Text(acc)
		if ok && ok2 {
			if !m.Budget.Fits(len(a) + len(b)) {
				fail(L, "string length overflow")
			}
			m.Budget.Ask(L, len(a)+len(b))
			acc = lua.LString(a + b)
			continue
		}
		handler := metamethod(L, left, "__concat")
		if handler == lua.LNil {
			handler = metamethod(L, acc, "__concat")
		}
		if handler == lua.LNil {
			if ok {
				m.Blame(L, "concatenate", i+1-first, acc)
			}
			m.Blame(L, "concatenate", i-first, left)
		}
		acc = m.callHandler(L, handler, left, acc)
	}
	return acc
}
