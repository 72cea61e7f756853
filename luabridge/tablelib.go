package luabridge

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// The table library reads and writes its tables in the order in which Lua's does: the order of writes decides how a table
// is laid out, and so the length and the walks of tables with holes.

func (vm *VM) tableFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"concat":   vm.tableConcat,
		"foreach":  vm.tableForeach,
		"foreachi": vm.tableForeachi,
		"getn":     vm.tableGetn,
		"insert":   vm.tableInsert,
		"maxn":     vm.tableMaxn,
		"remove":   vm.tableRemove,
		"setn":     vm.tableSetn,
		"sort":     vm.tableSort,
	}
}

// longestNumber is the largest length of a number's text, in bytes.
const longestNumber = 32

const (
	elementsPerLook = 256 // elements of a table between two looks at the budget
	bytesPerStep    = 8   // the logarithm of how many bytes a step stands for, where they are only copied
)

// tableConcat is concat(table [, separator [, first [, last]]]).
func (vm *VM) tableConcat(L *lua.LState) int {
	sep := vm.optionalText(L, 2, "")
	tb := vm.tableArgument(L, 1)
	first := vm.optionalInt(L, 3, 1)
	last := 0
	if L.Get(4) != lua.LNil {
		last = vm.intArgument(L, 4)
	} else {
		last = tables.Len(tb)
	}
	buf := vm.buf[:0]
	held := vm.budget.Held()
	text := vm.budget.Text()
	for i := first; i <= last; {
		end := last
		if last-i >= elementsPerLook {
			end = i + elementsPerLook - 1
		}
		vm.budget.Work(L, end-i+1)
		array, room := tables.Array(tb), text.Room()
		for ; i <= end; i++ {
			var value lua.LValue
			if uint(i-1) < uint(len(array)) {
				value = array[i-1]
			} else {
				value = tables.GetInt(tb, i)
			}
			n := longestNumber
			s, isText := value.(lua.LString)
			if isText {
				if n = len(s); n >= 1<<bytesPerStep {
					vm.budget.Work(L, n>>bytesPerStep)
				}
			}
			if n += len(buf) + len(sep); n > room {
				if !text.To(&vm.budget, L, n) {
					return vm.fail(L, budget.TooLarge)
				}
				room = text.Room()
			}
			if isText {
				buf = append(buf, s...)
			} else if number, ok := value.(lua.LNumber); ok {
				buf = numbers.Append(buf, float64(number), 14)
			} else {
				return vm.fail(L, "invalid value (%s) at index %d in table for 'concat'", value.Type(), i)
			}
			if i < last {
				buf = append(buf, sep...)
			}
		}
	}
	vm.budget.Release(held)
	if len(buf) >= largeString { // not kept, and so not copied
		L.Push(lua.LString(unsafe.String(unsafe.SliceData(buf), len(buf))))
		return 1
	}
	vm.keep(buf)
	L.Push(lua.LString(buf))
	return 1
}

// shiftedPerStep is log2 of the number of elements that are moved for one step.
const shiftedPerStep = 6

// tableInsert is insert(table, [position,] value).
func (vm *VM) tableInsert(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	end := tables.Len(tb) + 1
	at := end
	switch L.GetTop() {
	case 2:
		vm.mustWrite(L, tb)
	case 3:
		at = vm.intArgument(L, 2)
		end = max(end, at)
		vm.mustWrite(L, tb)
		if end > at {
			tables.SetInt(tb, end, tables.GetInt(tb, end-1))
			end--
		}
		vm.budget.Work(L, max(end-at, 0)>>shiftedPerStep)
		if tables.Shift(tb, at, end-1, 1) {
			end = at
		}
		for i := end; i > at; i-- {
			tables.SetInt(tb, i, tables.GetInt(tb, i-1))
			vm.budget.Work(L, 1)
		}
	default:
		return vm.fail(L, "wrong number of arguments to 'insert'")
	}
	tables.SetInt(tb, at, L.Get(-1))
	return 0
}

// mustWrite raises the error about read-only tables unless argument 1 is tb itself and not a stand-in of it.
func (vm *VM) mustWrite(L *lua.LState, tb *lua.LTable) {
	if L.Get(1) != tb {
		vm.raise(L, lua.LString(readonly))
	}
}

// tableRemove is remove(table [, position]).
func (vm *VM) tableRemove(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	end := tables.Len(tb)
	at := vm.optionalInt(L, 2, end)
	if at < 1 || at > end {
		return 0
	}
	removed := tables.GetInt(tb, at)
	vm.mustWrite(L, tb)
	vm.budget.Work(L, (end-at)>>shiftedPerStep)
	if tables.Shift(tb, at+1, end, -1) {
		at = end
	}
	for ; at < end; at++ {
		tables.SetInt(tb, at, tables.GetInt(tb, at+1))
		vm.budget.Work(L, 1)
	}
	tables.SetInt(tb, end, lua.LNil)
	L.Push(removed)
	return 1
}

func (vm *VM) tableGetn(L *lua.LState) int {
	L.Push(boxInt(int64(tables.Len(vm.tableArgument(L, 1)))))
	return 1
}

func (vm *VM) tableSetn(L *lua.LState) int {
	vm.tableArgument(L, 1)
	return vm.fail(L, "'setn' is obsolete")
}

// tableMaxn is the largest positive number among the keys, 0 when there is none.
func (vm *VM) tableMaxn(L *lua.LState) int {
	most := lua.LNumber(0)
	held := vm.budget.Held()
	vm.eachEntry(L, vm.tableArgument(L, 1), func(e tables.Entry) bool {
		if n, ok := e.Key.(lua.LNumber); ok && n > most {
			most = n
		}
		return true
	})
	vm.budget.Release(held)
	L.Push(boxFloat(float64(most)))
	return 1
}

// tableForeach calls a function with each key and value until it returns something.
func (vm *VM) tableForeach(L *lua.LState) int {
	vm.tableArgument(L, 1)
	fn := vm.functionArgument(L, 2)
	var key lua.LValue = lua.LNil
	for {
		L.Push(vm.nextFn)
		L.Push(L.Get(1))
		L.Push(key)
		L.Call(2, 2)
		if key = L.Get(-2); key == lua.LNil {
			return 0
		}
		value := L.Get(-1)
		L.Pop(2)
		if vm.foreachStep(L, fn, key, value) {
			return 1
		}
		vm.budget.Work(L, 1)
	}
}

// tableForeachi is tableForeach over the elements 1 to n.
func (vm *VM) tableForeachi(L *lua.LState) int {
	tb := vm.tableArgument(L, 1)
	n := tables.Len(tb)
	fn := vm.functionArgument(L, 2)
	for i := 1; i <= n; i++ {
		if vm.foreachStep(L, fn, boxInt(int64(i)), tables.GetInt(tb, i)) {
			return 1
		}
		vm.budget.Work(L, 1)
	}
	return 0
}

// foreachStep reports whether the function returned something; it is on the stack then.
func (vm *VM) foreachStep(L *lua.LState, fn *lua.LFunction, key, value lua.LValue) bool {
	L.Push(fn)
	L.Push(key)
	L.Push(value)
	L.Call(2, 1)
	if L.Get(-1) != lua.LNil {
		return true
	}
	L.Pop(1)
	return false
}
