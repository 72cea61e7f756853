package tables

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// Len returns what # returns without metamethods: an index before a nil. If there are several, it
// is the one that Lua 5.1 finds.
func Len(tb *lua.LTable) int {
	l := opened(tb)
	p := l.parts()
	if p == nil {
		if l.k2i == nil {
			return len(l.array)
		}
		copied := *l
		l, p = &copied, new(parts)
		l.place(p)
	}
	n := len(l.array)
	if n > 0 && l.array[n-1] == lua.LNil {
		return search(0, n, func(i int) bool { return l.array[i-1] != lua.LNil })
	}
	if len(p.nodes) == 0 {
		return n
	}
	there := func(i int) bool {
		if i <= len(l.array) {
			return l.array[i-1] != lua.LNil
		}
		return p.get(lua.LNumber(i)) != lua.LNil
	}
	i, j := n, n+1
	for there(j) {
		i = j
		j *= 2
		if j > math.MaxInt32 { // the table is made to confuse the search
			for i = 1; there(i); i++ {
			}
			return i - 1
		}
	}
	return search(i, j, there)
}

// search finds an index that is there and whose successor is missing. It starts between i, which is
// there or 0, and j, which is missing.
func search(i, j int, there func(int) bool) int {
	for j-i > 1 {
		if m := (i + j) / 2; there(m) {
			i = m
		} else {
			j = m
		}
	}
	return i
}
