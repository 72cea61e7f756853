package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// walks remembers the orders of the tables that are being walked, so that each step of
// next costs the same. A walk that is not found is begun anew.
type walks struct {
	slots [8]walk
	turn  int
}

type walk struct {
	tb    *lua.LTable
	order []tables.Entry
	at    int // the place of the last key handed out
}

// next is next(table [, key]).
func (vm *VM) next(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	tb = vm.unproxy(tb)
	key := L.Get(2)
	array := tables.Array(tb)
	from := -1
	if key == lua.LNil {
		from = 0
	} else if n, ok := key.(lua.LNumber); ok && n >= 1 && int(n) <= len(array) && lua.LNumber(int(n)) == n {
		from = int(n)
	}
	if from >= 0 {
		for ; from < len(array); from++ {
			if v := array[from]; v != lua.LNil {
				L.Push(boxInt(int64(from + 1)))
				L.Push(v)
				return 2
			}
		}
		key = lua.LNil
		if !tables.HasHash(tb) {
			L.Push(lua.LNil)
			return 1
		}
	}
	return vm.nextHash(L, tb, key)
}

// nextHash steps through the part beside the array; a nil key starts it.
func (vm *VM) nextHash(L *lua.LState, tb *lua.LTable, key lua.LValue) int {
	w := vm.walk(tb, key)
	if w == nil {
		vm.raise(L, lua.LString("invalid key to 'next'"))
		return 0
	}
	for w.at++; w.at < len(w.order); w.at++ {
		k := w.order[w.at].Key
		if tb == vm.env && hidden(k) {
			continue
		}
		if v := tb.RawGet(k); v != lua.LNil { // it may have been removed on the way
			L.Push(k)
			L.Push(v)
			return 2
		}
	}
	clear(w.order)
	w.tb, w.order = nil, w.order[:0]
	L.Push(lua.LNil)
	return 1
}

func hidden(k lua.LValue) bool {
	s, ok := k.(lua.LString)
	return ok && s != "" && s[0] == aliasPrefix[0]
}

// walk finds the walk that handed out key, or begins one there.
func (vm *VM) walk(tb *lua.LTable, key lua.LValue) *walk {
	ws := &vm.walks
	if key != lua.LNil {
		for i := range ws.slots {
			if w := &ws.slots[i]; w.tb == tb && w.at < len(w.order) && w.order[w.at].Key == key {
				return w
			}
		}
	}
	ws.turn = (ws.turn + 1) % len(ws.slots)
	w := &ws.slots[ws.turn]
	w.tb, w.at = tb, -1
	w.order = tables.Hash(tb, w.order[:0])
	if key == lua.LNil {
		return w
	}
	for i := range w.order {
		if w.order[i].Key == key {
			w.at = i
			return w
		}
	}
	w.tb = nil
	return nil
}

// forget drops the tables that walks hold, at the end of a script.
func (ws *walks) forget() {
	for i := range ws.slots {
		if w := &ws.slots[i]; w.tb != nil {
			clear(w.order)
			w.tb, w.order = nil, w.order[:0]
		}
	}
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
	L.Push(boxed[0])
	return 3
}

func (vm *VM) ipairsNext(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return vm.badType(L, 1, "table")
	}
	f, _ := number(L.Get(2))
	i := int(f) + 1
	v := vm.unproxy(tb).RawGet(lua.LNumber(i))
	if v == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(boxInt(int64(i)))
	L.Push(v)
	return 2
}
