package tables

import (
	"math/bits"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// layout mirrors lua.LTable field by field.
type layout struct {
	Metatable lua.LValue
	array     []lua.LValue
	dict      map[lua.LValue]lua.LValue // used by gopher-lua only; or the mark of a Hashing
	strdict   map[string]lua.LValue
	keys      []lua.LValue
	k2i       map[lua.LValue]int // used by gopher-lua only
}

func look(tb *lua.LTable) *layout { return (*layout)(unsafe.Pointer(tb)) }

// sizes is the first entry in the log of a table whose constructor had keyed fields: the sizes that
// Lua made room for. It is an LValue only to fit there.
type sizes struct {
	lua.LValue
	array, nodes int
}

// parts returns the node part, or nil.
func (l *layout) parts() *parts {
	if len(l.keys) == 0 {
		return nil
	}
	p, _ := l.keys[0].(*parts)
	return p
}

// foreign reports whether gopher-lua itself has put keys into the table.
func (l *layout) foreign() bool { return l.k2i != nil }

// MaxArray is the largest index that Lua keeps in the array part.
const MaxArray = 1 << 26

// arrayIndex returns the place of a key in the array part, or -1.
func arrayIndex(key lua.LValue) int {
	if n, ok := key.(lua.LNumber); ok {
		if i := int(n); i >= 1 && i <= MaxArray && lua.LNumber(i) == n {
			return i - 1
		}
	}
	return -1
}

// powerAbove returns the smallest power of two that is not below n; 0 for 0.
func powerAbove(n int) int {
	if n <= 1 {
		return n
	}
	return 1 << bits.Len(uint(n-1))
}
