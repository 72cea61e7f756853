package strlib

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// start reads argument 3 of find and match: the start of the search, from 0.
func (m *Library) start(L *lua.LState, length int) int {
	if L.GetTop() < 3 {
		return 0
	}
	init := position(m.optional(L, 3, 1), length) - 1
	return int(min(max(init, 0), int64(length)))
}

func (m *Library) find(L *lua.LState) int {
	s, pat := m.Text(L, 1), m.Text(L, 2)
	init := m.start(L, len(s))
	// As in Lua, special bytes are looked for only before the first zero byte of the pattern. A
	// plain pattern is searched for as a whole.
	if L.GetTop() >= 4 && lua.LVAsBool(L.Get(4)) || !hasSpecial(cutZero(pat)) {
		i := m.index(L, s[init:], pat)
		if i < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(boxes.Int(init + i + 1))
		L.Push(boxes.Int(init + i + len(pat)))
		return 2
	}
	start, end, ok := m.first(L, s, pat, init)
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(boxes.Int(start + 1))
	L.Push(boxes.Int(end))
	n := 2
	if m.matcher.level > 0 {
		n += m.matcher.push(start, end)
	}
	m.matcher.end()
	return n
}

// index returns the index of pat in s, or -1. It searches in pieces.
func (m *Library) index(L *lua.LState, s, pat string) int {
	piece, from := max(large, len(pat)), 0
	for len(s)-from > 2*piece {
		if i := strings.Index(s[from:from+piece+len(pat)], pat); i >= 0 {
			return from + i
		}
		from += piece
		m.Budget.Work(L, piece>>bytesPerStep)
	}
	if i := strings.Index(s[from:], pat); i >= 0 {
		return from + i
	}
	return -1
}

func (m *Library) match(L *lua.LState) int {
	s, pat := m.Text(L, 1), m.Text(L, 2)
	start, end, ok := m.first(L, s, pat, m.start(L, len(s)))
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	n := m.matcher.push(start, end)
	m.matcher.end()
	return n
}

// first finds the first match of pat in s from init on. If there is none, it ends the matcher.
func (m *Library) first(L *lua.LState, s, pat string, init int) (start, end int, ok bool) {
	ms := m.matching()
	pat = cutZero(pat)
	anchored := strings.HasPrefix(pat, "^")
	if anchored {
		pat = pat[1:]
	}
	ms.begin(L, s, pat)
	if anchored {
		start, end = init, ms.at(init)
		ok = end >= 0
	} else {
		start, end, ok = ms.search(init)
	}
	if !ok {
		ms.end()
	}
	return start, end, ok
}

// gmatch has no anchor: ^ at the start of its pattern is an ordinary byte.
func (m *Library) gmatch(L *lua.LState) int {
	s, pat := m.Text(L, 1), cutZero(m.Text(L, 2))
	next := 0
	L.Push(L.NewClosure(func(L *lua.LState) int {
		if next > len(s) {
			return 0
		}
		ms := m.matching()
		ms.begin(L, s, pat)
		start, end, ok := ms.search(next)
		n := 0
		if ok {
			n = ms.push(start, end)
			next = end
			if start == end {
				next++
			}
		} else {
			next = len(s) + 1
		}
		ms.end()
		return n
	}, lua.LString(s), lua.LString(pat))) // the script's memory includes upvalues
	return 1
}
