package luabridge

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

// randomState is the 48-bit generator behind math.random: one sequence a process, never
// reseeded but by math.randomseed.
type randomState struct {
	x uint64
}

const randomStart = 0x1234abcd330e

func (r *randomState) next() int32 {
	if r.x == 0 {
		r.x = randomStart
	}
	r.x = (r.x*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(r.x >> 17)
}

func (r *randomState) seed(s int32) { r.x = uint64(uint32(s))<<16 | randomStart&0xffff }

func (r *randomState) float() float64 {
	return float64(r.next()%math.MaxInt32) / math.MaxInt32
}

func (vm *VM) mathFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{"random": vm.mathRandom, "randomseed": vm.mathRandomSeed}
}

// intArgument reads argument n as C's int.
func (vm *VM) intArgument(L *lua.LState, n int) int64 {
	f, ok := number(L.Get(n))
	if !ok {
		vm.badType(L, n, "number")
	}
	return toInt(f)
}

func (vm *VM) mathRandom(L *lua.LState) int {
	r := vm.random.float()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r))
	case 1:
		u := vm.intArgument(L, 1)
		if u < 1 {
			return vm.badArgument(L, 1, "interval is empty")
		}
		L.Push(lua.LNumber(math.Floor(r*float64(u)) + 1))
	case 2:
		l, u := vm.intArgument(L, 1), vm.intArgument(L, 2)
		if l > u {
			return vm.badArgument(L, 2, "interval is empty")
		}
		L.Push(lua.LNumber(math.Floor(r*float64(u-l+1)) + float64(l)))
	default:
		return vm.fail(L, "wrong number of arguments")
	}
	return 1
}

func (vm *VM) mathRandomSeed(L *lua.LState) int {
	vm.random.seed(int32(vm.intArgument(L, 1)))
	return 0
}

func (vm *VM) stringFunctions() map[string]lua.LGFunction {
	stockGmatch := vm.stock("string", "gmatch")
	return map[string]lua.LGFunction{"gfind": stockGmatch}
}

// stock returns a function of gopher-lua's own library. It may be called while the libraries are opened
// only.
func (vm *VM) stock(lib, name string) lua.LGFunction {
	tb, ok := vm.opened.RawGetString(lib).(*lua.LTable)
	if !ok {
		return nil
	}
	if fn, ok := tb.RawGetString(name).(*lua.LFunction); ok {
		return fn.GFunction
	}
	return nil
}

func (vm *VM) tableFunctions() map[string]lua.LGFunction {
	fns := map[string]lua.LGFunction{
		"concat":   vm.tableConcat,
		"foreach":  vm.tableForeach,
		"foreachi": vm.tableForeachi,
		"getn":     vm.tableGetn,
		"setn":     vm.tableSetn,
	}
	for _, name := range []string{"insert", "remove", "sort"} { // these write
		stock := vm.stock("table", name)
		fns[name] = func(L *lua.LState) int {
			if tb, ok := L.Get(1).(*lua.LTable); ok {
				if name != "insert" && vm.unproxy(tb).Len() == 0 {
					return 0
				}
				vm.writable(L, tb)
			} else {
				return vm.badType(L, 1, "table")
			}
			return stock(L)
		}
	}
	return fns
}

func (vm *VM) tableArgument(L *lua.LState, function string) *lua.LTable {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		vm.badType(L, 1, "table")
	}
	return vm.unproxy(tb)
}

func (vm *VM) tableConcat(L *lua.LState) int {
	tb := vm.tableArgument(L, "concat")
	sep := ""
	if v := L.Get(2); v != lua.LNil {
		s, ok := str(v)
		if !ok {
			return vm.badType(L, 2, "string")
		}
		sep = s
	}
	first, last := int64(1), int64(0)
	if L.Get(3) != lua.LNil {
		first = vm.intArgument(L, 3)
	}
	if L.Get(4) != lua.LNil {
		last = vm.intArgument(L, 4)
	} else {
		last = int64(tb.Len())
	}
	buf := vm.buf[:0]
	for i := first; i <= last; i++ {
		switch v := tb.RawGet(lua.LNumber(i)).(type) {
		case lua.LString:
			buf = append(buf, v...)
		case lua.LNumber:
			buf = numbers.Append(buf, float64(v), 14)
		default:
			return vm.fail(L, "invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
		if i < last {
			buf = append(buf, sep...)
		}
	}
	vm.keep(buf)
	L.Push(lua.LString(buf))
	return 1
}

func (vm *VM) tableGetn(L *lua.LState) int {
	L.Push(lua.LNumber(vm.tableArgument(L, "getn").Len()))
	return 1
}

func (vm *VM) tableSetn(L *lua.LState) int {
	vm.tableArgument(L, "setn")
	return vm.fail(L, "'setn' is obsolete")
}

func (vm *VM) tableForeach(L *lua.LState) int {
	tb := vm.tableArgument(L, "foreach")
	fn, ok := L.Get(2).(*lua.LFunction)
	if !ok {
		return vm.badType(L, 2, "function")
	}
	for _, e := range vm.entries(tb) {
		L.Push(fn)
		L.Push(e.Key)
		L.Push(e.Value)
		L.Call(2, 1)
		if L.Get(-1) != lua.LNil {
			return 1
		}
		L.Pop(1)
	}
	return 0
}

func (vm *VM) tableForeachi(L *lua.LState) int {
	tb := vm.tableArgument(L, "foreachi")
	fn, ok := L.Get(2).(*lua.LFunction)
	if !ok {
		return vm.badType(L, 2, "function")
	}
	for i, n := 1, tb.Len(); i <= n; i++ {
		L.Push(fn)
		L.Push(boxInt(int64(i)))
		L.Push(tb.RawGetInt(i))
		L.Call(2, 1)
		if L.Get(-1) != lua.LNil {
			return 1
		}
		L.Pop(1)
	}
	return 0
}
