package luabridge

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

func (vm *VM) baseFunctions() map[string]lua.LGFunction {
	gc := collector{vm: vm, pause: 200, stepmul: 200}
	return map[string]lua.LGFunction{
		"assert":         vm.assert,
		"collectgarbage": gc.collectGarbage,
		"error":          vm.luaError,
		"gcinfo":         gc.info,
		"getmetatable":   vm.getMetatable,
		"ipairs":         vm.ipairs,
		"load":           vm.load,
		"loadstring":     vm.loadString,
		"next":           vm.next,
		"pairs":          vm.pairs,
		"pcall":          vm.pcall,
		"rawequal":       vm.rawEqual,
		"rawget":         vm.rawGet,
		"rawset":         vm.rawSet,
		"select":         vm.selectFrom,
		"setmetatable":   vm.setMetatable,
		"tonumber":       vm.toNumber,
		"tostring":       vm.toString,
		"type":           vm.typeName,
		"unpack":         vm.unpack,
		"xpcall":         vm.xpcall,
	}
}

// cString is what C sees of a string: it ends at the first NUL.
func cString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

func (vm *VM) assert(L *lua.LState) int {
	vm.anyArgument(L, 1)
	if lua.LVAsBool(L.Get(1)) {
		return L.GetTop()
	}
	return vm.fail(L, "%s", cString(vm.optionalText(L, 2, "assertion failed!")))
}

// luaError is error(message [, level]).
func (vm *VM) luaError(L *lua.LState) int {
	level := vm.optionalInt(L, 2, 1)
	v := L.Get(1)
	if s, ok := str(v); ok && level > 0 {
		vm.budget.Ask(L, len(s))
		v = lua.LString(vm.where(L, level) + s)
	}
	vm.raise(L, v)
	return 0
}

// maxResults is how many values a library function of Lua may have on the stack.
const maxResults = 8000

// unpack is unpack(list [, first [, last]]).
func (vm *VM) unpack(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	first := vm.optionalInt(L, 2, 1)
	last := 0
	if L.Get(3) != lua.LNil {
		last = vm.intArgument(L, 3)
	} else {
		last = tables.Len(tb)
	}
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > maxResults-L.GetTop() {
		return vm.fail(L, "too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(tables.GetInt(tb, i))
	}
	return n
}

// selectFrom is select(n, ...): the arguments from the n-th on, or their number for "#".
func (vm *VM) selectFrom(L *lua.LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(lua.LString); ok && s != "" && s[0] == '#' {
		L.Push(boxInt(int64(n - 1)))
		return 1
	}
	i := vm.intArgument(L, 1)
	if i < 0 {
		i += n
	}
	if i < 1 {
		return vm.badArgument(L, 1, "index out of range")
	}
	return max(n-i, 0)
}

// typeNames are the results of type, boxed once.
var typeNames = func() (names [lua.LTChannel + 1]lua.LValue) {
	for t := range names {
		names[t] = lua.LString(lua.LValueType(t).String())
	}
	return names
}()

func (vm *VM) typeName(L *lua.LState) int {
	vm.anyArgument(L, 1)
	L.Push(typeNames[L.Get(1).Type()])
	return 1
}

func (vm *VM) getMetatable(L *lua.LState) int {
	vm.anyArgument(L, 1)
	switch v := L.Get(1).(type) {
	case lua.LString:
		L.Push(vm.stringMeta)
		return 1
	case *lua.LTable:
		if v == vm.globals {
			L.Push(vm.globalMeta)
			return 1
		}
		if v == vm.loadAPI {
			L.Push(vm.loadMeta)
			return 1
		}
		if vm.unproxy(v) != v {
			L.Push(lua.LNil)
			return 1
		}
	}
	L.Push(L.GetMetatable(L.Get(1)))
	return 1
}

func (vm *VM) setMetatable(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	mt := L.Get(2)
	if _, ok := mt.(*lua.LTable); !ok && (mt != lua.LNil || L.GetTop() < 2) {
		return vm.badArgument(L, 2, "nil or table expected")
	}
	vm.writable(L, tb)
	if old, ok := tb.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		return vm.fail(L, "cannot change a protected metatable")
	}
	if m, ok := mt.(*lua.LTable); ok {
		mt = vm.unproxy(m)
	}
	tb.Metatable = mt
	L.SetTop(1)
	return 1
}

func (vm *VM) rawEqual(L *lua.LState) int {
	vm.anyArgument(L, 1)
	vm.anyArgument(L, 2)
	L.Push(lua.LBool(L.Get(1) == L.Get(2)))
	return 1
}

func (vm *VM) rawGet(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	vm.anyArgument(L, 2)
	key := L.Get(2)
	if tb == vm.env && hiddenName(key) {
		key = lua.LNil
	}
	L.Push(tables.Get(tb, key))
	return 1
}

func (vm *VM) rawSet(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	vm.anyArgument(L, 2)
	vm.anyArgument(L, 3)
	key := L.Get(2)
	vm.mustWrite(L, tb)
	switch k := key.(type) {
	case *lua.LNilType:
		vm.raise(L, lua.LString("table index is nil"))
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			vm.raise(L, lua.LString("table index is NaN"))
		}
	}
	tables.Set(tb, key, L.Get(3))
	L.SetTop(1)
	return 1
}

func (vm *VM) toString(L *lua.LState) int {
	vm.anyArgument(L, 1)
	v := L.Get(1)
	if fn := metamethod(v, "__tostring"); fn != lua.LNil {
		vm.callable(L, fn)
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	if _, ok := v.(lua.LString); ok {
		L.SetTop(1)
		return 1
	}
	L.Push(lua.LString(vm.text(v)))
	return 1
}

// metamethod is a metamethod of a table or userdata; strings have none but __index.
func metamethod(v lua.LValue, event string) lua.LValue {
	var mt lua.LValue
	switch v := v.(type) {
	case *lua.LTable:
		mt = v.Metatable
	case *lua.LUserData:
		mt = v.Metatable
	}
	if tb, ok := mt.(*lua.LTable); ok {
		return tb.RawGetString(event)
	}
	return lua.LNil
}
