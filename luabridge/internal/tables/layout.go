package tables

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// layout mirrors lua.LTable field by field.
type layout struct {
	Metatable lua.LValue
	array     []lua.LValue
	dict      map[lua.LValue]lua.LValue
	strdict   map[string]lua.LValue
	keys      []lua.LValue // every key ever inserted beside the array, oldest first
	k2i       map[lua.LValue]int
}

// The two differ in size: neither array type exists.
var (
	_ [unsafe.Sizeof(layout{}) - unsafe.Sizeof(lua.LTable{})]struct{}
	_ [unsafe.Sizeof(lua.LTable{}) - unsafe.Sizeof(layout{})]struct{}
)

// SetArray gives the table another array part; the slice is shared. Caller must know that nobody else uses tb.
func SetArray(tb *lua.LTable, values []lua.LValue) { look(tb).array = values }

func look(tb *lua.LTable) *layout { return (*layout)(unsafe.Pointer(tb)) }

// Array returns the table's array part, which may hold nils. Caller must not change it.
func Array(tb *lua.LTable) []lua.LValue { return look(tb).array }

// HasHash reports whether the table holds anything beside its array part.
func HasHash(tb *lua.LTable) bool {
	l := look(tb)
	return len(l.strdict)+len(l.dict) > 0
}

// StringsOnly reports whether every live key beside the array part is a string.
func StringsOnly(tb *lua.LTable) bool { return len(look(tb).dict) == 0 }

// presize is how a constructor's hash size is kept in a table: a table that has never had an
// array part carries lsize+1 as the capacity of an empty one. See [Presize].
const maxPresize = 16

// Presize gives the array capacity to ask of a keyed constructor with n fields, so that the
// table remembers that Lua 5.1 would have made its hash part 2^ceil(log2(n)) at once.
// It is 0 where growing by insertion gives the same layout.
func Presize(n int) int {
	if n < 2 {
		return 0
	}
	return min(log2(n)+1, maxPresize)
}

func presized(l *layout) int {
	if n := cap(l.array); len(l.array) == 0 && n > 0 && n <= maxPresize {
		return 1 << (n - 1)
	}
	return 0
}

// log2 is the smallest k with 2^k >= n; n must be positive.
func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
