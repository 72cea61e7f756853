package luabridge

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

func (vm *VM) baseFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"assert":         vm.assert,
		"collectgarbage": vm.collectGarbage,
		"error":          vm.luaError,
		"gcinfo":         func(L *lua.LState) int { L.Push(lua.LNumber(64)); return 1 },
		"getmetatable":   vm.getMetatable,
		"ipairs":         vm.ipairs,
		"load":           vm.load,
		"loadstring":     vm.loadString,
		"next":           vm.next,
		"pairs":          vm.pairs,
		"pcall":          vm.pcall,
		"rawget":         vm.rawGet,
		"rawset":         vm.rawSet,
		"setmetatable":   vm.setMetatable,
		"tonumber":       vm.toNumber,
		"tostring":       vm.toString,
		"unpack":         vm.unpack,
		"xpcall":         vm.xpcall,
	}
}

func (vm *VM) assert(L *lua.LState) int {
	n := L.GetTop()
	if n == 0 {
		return vm.badArgument(L, 1, "value expected")
	}
	if lua.LVAsBool(L.Get(1)) {
		return n
	}
	message := "assertion failed!"
	if v := L.Get(2); v != lua.LNil {
		s, ok := str(v)
		if !ok {
			return vm.badType(L, 2, "string")
		}
		message = s
	}
	return vm.fail(L, "%s", message)
}

// luaError is error(message [, level]).
func (vm *VM) luaError(L *lua.LState) int {
	v := L.Get(1)
	level := 1
	if f, ok := number(L.Get(2)); ok {
		level = int(toInt(f))
	}
	if s, ok := str(v); ok && level > 0 {
		v = lua.LString(vm.where(L, level) + s)
	}
	vm.raise(L, v)
	return 0
}

// maxResults is how many values a library function of Lua may have on the stack.
const maxResults = 8000

// unpack is unpack(list [, first [, last]]).
func (vm *VM) unpack(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	tb = vm.unproxy(tb)
	first, last := int64(1), int64(0)
	if L.Get(2) != lua.LNil {
		first = int64(int32(vm.intArgument(L, 2)))
	}
	if L.Get(3) != lua.LNil {
		last = int64(int32(vm.intArgument(L, 3)))
	} else {
		last = int64(tb.Len())
	}
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > maxResults-int64(L.GetTop()) {
		return vm.fail(L, "too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(tb.RawGet(lua.LNumber(i)))
	}
	return int(n)
}

// errHandler is the function that Redis leaves among the globals: it makes any error the table that
// redis.call would raise.
func (vm *VM) errHandler(L *lua.LState) int {
	v := L.Get(1)
	tb, ok := v.(*lua.LTable)
	if !ok {
		tb = field(L, "err", lua.LString("ERR "+vm.text(v)))
	}
	source, line := position(L)
	tb.RawSetString("source", lua.LString(source))
	tb.RawSetString("line", lua.LNumber(line))
	L.Push(tb)
	return 1
}

func (vm *VM) collectGarbage(L *lua.LState) int {
	option := "collect"
	if L.GetTop() > 0 && L.Get(1) != lua.LNil {
		s, ok := str(L.Get(1))
		if !ok {
			return vm.badType(L, 1, "string")
		}
		option = s
	}
	switch option {
	case "collect", "stop", "restart", "setpause", "setstepmul":
		L.Push(lua.LNumber(0))
	case "count":
		L.Push(lua.LNumber(64))
	case "step":
		L.Push(lua.LTrue)
	default:
		return vm.badArgument(L, 1, "invalid option '"+option+"'")
	}
	return 1
}

func (vm *VM) getMetatable(L *lua.LState) int {
	switch v := L.Get(1).(type) {
	case lua.LString:
		L.Push(vm.stringMeta)
		return 1
	case *lua.LTable:
		if v == vm.globals {
			L.Push(vm.globalMeta)
			return 1
		}
		if vm.unproxy(v) != v {
			L.Push(lua.LNil)
			return 1
		}
	}
	if L.GetTop() == 0 {
		return vm.badArgument(L, 1, "value expected")
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

func (vm *VM) rawGet(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	if L.GetTop() < 2 {
		return vm.badArgument(L, 2, "value expected")
	}
	L.Push(vm.unproxy(tb).RawGet(L.Get(2)))
	return 1
}

func (vm *VM) rawSet(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	for n := 2; n <= 3; n++ {
		if L.GetTop() < n {
			return vm.badArgument(L, n, "value expected")
		}
	}
	key := L.Get(2)
	vm.writable(L, tb)
	switch k := key.(type) {
	case *lua.LNilType:
		vm.raise(L, lua.LString("table index is nil"))
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			vm.raise(L, lua.LString("table index is NaN"))
		}
	}
	tb.RawSet(key, L.Get(3))
	L.SetTop(1)
	return 1
}

func (vm *VM) toString(L *lua.LState) int {
	if L.GetTop() == 0 {
		return vm.badArgument(L, 1, "value expected")
	}
	v := L.Get(1)
	if fn := metamethod(v, "__tostring"); fn != lua.LNil {
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

func (vm *VM) toNumber(L *lua.LState) int {
	n := L.GetTop()
	base := 10.0
	if n >= 2 && L.Get(2) != lua.LNil {
		f, ok := number(L.Get(2))
		if !ok {
			return vm.badType(L, 2, "number")
		}
		base = f
	}
	if base == 10 {
		if n == 0 {
			return vm.badArgument(L, 1, "value expected")
		}
		switch v := L.Get(1).(type) {
		case lua.LNumber:
			L.Push(v)
			return 1
		case lua.LString:
			if f, ok := numbers.Parse(string(v)); ok {
				L.Push(boxFloat(f))
				return 1
			}
		}
		L.Push(lua.LNil)
		return 1
	}
	s, ok := str(L.Get(1))
	if !ok {
		return vm.badType(L, 1, "string")
	}
	if base < 2 || base > 36 {
		return vm.badArgument(L, 2, "base out of range")
	}
	if f, ok := parseBase(s, int(base)); ok {
		L.Push(lua.LNumber(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

func boxFloat(f float64) lua.LValue {
	if i := int(f); float64(i) == f && uint(i) < uint(len(boxed)) && (i != 0 || !math.Signbit(f)) {
		return boxed[i]
	}
	return lua.LNumber(f)
}

// parseBase is C's strtoul on a whole string: a minus sign wraps, too much saturates.
func parseBase(s string, base int) (float64, bool) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	s = strings.Trim(s, " \t\n\v\f\r")
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") {
		s = s[2:]
	}
	if s == "" {
		return 0, false
	}
	n, over := uint64(0), false
	for i := 0; i < len(s); i++ {
		d := digit(s[i])
		if d >= base {
			return 0, false
		}
		if n > (math.MaxUint64-uint64(d))/uint64(base) {
			over = true
		}
		n = n*uint64(base) + uint64(d)
	}
	if over {
		return float64(math.MaxUint64), true
	}
	if negative {
		n = -n
	}
	return float64(n), true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}
