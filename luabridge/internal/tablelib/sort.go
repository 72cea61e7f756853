package tablelib

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// sorter is a call of table.sort. It makes the same comparisons and swaps as Lua's quicksort.
// Scripts see which of two equal elements comes first, how often their function is called, and the
// effects of a wrong function.
type sorter struct {
	lib  *Library
	L    *lua.LState
	tb   *lua.LTable
	less *lua.LFunction // nil: the operator <
	done int            // comparisons not counted by the budget yet
}

// sort is sort(table [, less]).
func (m *Library) sort(L *lua.LState) int {
	s := sorter{lib: m, L: L, tb: m.Table(L, 1)}
	n := tables.Len(s.tb)
	if L.Get(2) != lua.LNil {
		s.less = m.Function(L, 2)
	}
	s.sort(1, n)
	m.Budget.Work(L, s.done)
	return 0
}

func (s *sorter) get(i int) lua.LValue { return tables.GetInt(s.tb, i) }

// put stores two elements, a first.
func (s *sorter) put(i int, a lua.LValue, j int, b lua.LValue) {
	s.lib.Writable(s.L, s.tb)
	tables.SetInt(s.tb, i, a)
	tables.SetInt(s.tb, j, b)
}

// before reports whether a comes before b, by the script's function or by <.
func (s *sorter) before(a, b lua.LValue) bool {
	if s.done++; s.done == elementsPerLook {
		s.done = 0
		s.lib.Budget.Work(s.L, elementsPerLook)
	}
	if s.less == nil {
		return s.lib.Less(s.L, a, b)
	}
	L := s.L
	L.Push(s.less)
	L.Push(a)
	L.Push(b)
	L.Call(2, 1)
	truth := lua.LVAsBool(L.Get(-1))
	L.Pop(1)
	return truth
}

// sort sorts the elements l to u.
func (s *sorter) sort(l, u int) {
	for l < u {
		// The first, the middle and the last are put in order.
		if first, last := s.get(l), s.get(u); s.before(last, first) {
			s.put(l, last, u, first)
		}
		if u-l == 1 {
			return
		}
		middle := (l + u) / 2
		if pivot, first := s.get(middle), s.get(l); s.before(pivot, first) {
			s.put(middle, first, l, pivot)
		} else if last := s.get(u); s.before(last, pivot) {
			s.put(middle, last, u, pivot)
		}
		if u-l == 2 {
			return
		}
		i := s.partition(middle, l, u)
		if i-l < u-i { // recursion on the smaller part is never deep
			s.sort(l, i-1)
			l = i + 1
		} else {
			s.sort(i+1, u)
			u = i - 1
		}
	}
}

// partition moves the pivot, which is in the middle, to its final place and returns the place.
func (s *sorter) partition(middle, l, u int) int {
	pivot := s.get(middle)
	s.put(middle, s.get(u-1), u-1, pivot)
	i, j := l, u-1
	for {
		var right, left lua.LValue
		for i++; ; i++ {
			if right = s.get(i); !s.before(right, pivot) {
				break
			}
			if i > u {
				s.invalid()
			}
		}
		for j--; ; j-- {
			if left = s.get(j); !s.before(pivot, left) {
				break
			}
			if j < l {
				s.invalid()
			}
		}
		if j < i {
			break
		}
		s.put(i, left, j, right)
	}
	last, here := s.get(u-1), s.get(i)
	s.put(u-1, here, i, last)
	return i
}

func (s *sorter) invalid() { s.lib.Error(s.L, "invalid order function for sorting") }
