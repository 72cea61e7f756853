package luabridge

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// next is next(table [, key]).
func (vm *VM) next(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	key, value, ok := vm.cursor.Next(vm.visible(tb), L.Get(2))
	if !ok {
		vm.raise(L, lua.LString("invalid key to 'next'"))
	}
	L.Push(key)
	if key == lua.LNil {
		return 1
	}
	L.Push(value)
	return 2
}

func hiddenName(k lua.LValue) bool {
	s, ok := k.(lua.LString)
	return ok && s != "" && s[0] == aliasPrefix[0]
}

func (vm *VM) pairs(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LTable); !ok {
		return vm.badType(L, 1, "table")
	}
	L.Push(vm.nextFn)
	L.Push(L.Get(1))
	L.Push(lua.LNil)
	return 3
}

func (vm *VM) ipairs(L *lua.LState) int {
	if _, ok := L.Get(1).(*lua.LTable); !ok {
		return vm.badType(L, 1, "table")
	}
	L.Push(vm.ipairsStep)
	L.Push(L.Get(1))
	L.Push(boxes.Int(0))
	return 3
}

func (vm *VM) ipairsNext(L *lua.LState) int {
	i := vm.intArgument(L, 2) + 1
	v := tables.GetInt(vm.tableArgument(L, 1), i)
	if v == lua.LNil {
		return 0
	}
	L.Push(boxes.Int(i))
	L.Push(v)
	return 2
}
