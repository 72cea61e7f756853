package machine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// events are the metamethods of the arithmetic instructions.
var events = map[int]string{
	lua.OP_ADD: "__add", lua.OP_SUB: "__sub", lua.OP_MUL: "__mul", lua.OP_DIV: "__div", lua.OP_MOD: "__mod",
	lua.OP_POW: "__pow", lua.OP_UNM: "__unm",
}

// arithmetic returns a op b if not both are numbers. It converts strings first, then tries
// metamethods. For the minus sign, a and b are the same.
func (m *Machine) arithmetic(L *lua.LState, op int, a, b lua.LValue) lua.LValue {
	x, ok := args.Number(a)
	y, ok2 := args.Number(b)
	if ok && ok2 {
		if op == lua.OP_UNM {
			return m.boxes.Number(lua.LNumber(-x))
		}
		return m.boxes.Number(arith(op, lua.LNumber(x), lua.LNumber(y)))
	}
	handler := metamethod(L, a, events[op])
	if handler == lua.LNil {
		handler = metamethod(L, b, events[op])
	}
	if handler == lua.LNil {
		const what = "perform arithmetic on"
		if ok {
			m.Blame(L, what, 1, b)
		}
		m.Blame(L, what, 0, a)
	}
	return m.callHandler(L, handler, a, b)
}

// callHandler calls a metamethod of an operator. It need not be a function.
func (m *Machine) callHandler(L *lua.LState, handler, a, b lua.LValue) lua.LValue {
	if handler.Type() != lua.LTFunction && metamethod(L, handler, "__call").Type() != lua.LTFunction {
		m.Blame(L, "call", -1, handler)
	}
	return call(L, handler, a, b)
}

// Equal returns a == b, with metamethods.
func (m *Machine) Equal(L *lua.LState, a, b lua.LValue) bool {
	if equal, known := rawEqual(a, b); known {
		return equal
	}
	if a == b {
		return true
	}
	x, ok := a.(*lua.LTable)
	y, ok2 := b.(*lua.LTable)
	if !ok || !ok2 {
		return false
	}
	handler := tableMetamethod(x, "__eq")
	if handler == lua.LNil || x.Metatable != y.Metatable && !sameValue(handler, tableMetamethod(y, "__eq")) {
		return false
	}
	return lua.LVAsBool(m.callHandler(L, handler, a, b))
}

func sameValue(a, b lua.LValue) bool {
	if equal, known := rawEqual(a, b); known {
		return equal
	}
	return a == b
}

// Less returns a < b, with metamethods.
func (m *Machine) Less(L *lua.LState, a, b lua.LValue) bool {
	switch a := a.(type) {
	case lua.LNumber:
		if b, ok := b.(lua.LNumber); ok {
			return a < b
		}
	case lua.LString:
		if b, ok := b.(lua.LString); ok {
			return a < b
		}
	}
	if less, known := m.order(L, "__lt", a, b); known {
		return less
	}
	m.badOrder(L, a, b)
	return false
}

// lessEqual returns a <= b, with metamethods.
func (m *Machine) lessEqual(L *lua.LState, a, b lua.LValue) bool {
	switch a := a.(type) {
	case lua.LNumber:
		if b, ok := b.(lua.LNumber); ok {
			return a <= b
		}
	case lua.LString:
		if b, ok := b.(lua.LString); ok {
			return a <= b
		}
	}
	if less, known := m.order(L, "__le", a, b); known {
		return less
	}
	if less, known := m.order(L, "__lt", b, a); known {
		return !less
	}
	m.badOrder(L, a, b)
	return false
}

// order calls a metamethod that both operands must have.
func (m *Machine) order(L *lua.LState, event string, a, b lua.LValue) (result, known bool) {
	if a.Type() != b.Type() {
		return false, false
	}
	handler := metamethod(L, a, event)
	if handler == lua.LNil || !sameValue(handler, metamethod(L, b, event)) {
		return false, false
	}
	return lua.LVAsBool(m.callHandler(L, handler, a, b)), true
}

// badOrder raises Lua's error. Lua takes two types for the same if the third letters of their names
// are equal.
func (m *Machine) badOrder(L *lua.LState, a, b lua.LValue) {
	x, y := a.Type().String(), b.Type().String()
	if strings.HasPrefix(y[2:], x[2:3]) {
		fail(L, "attempt to compare two %s values", x)
	}
	fail(L, "attempt to compare %s with %s", x, y)
}
