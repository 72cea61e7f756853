package strlib

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"slices"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

func (m *Library) len(L *lua.LState) int {
	L.Push(boxes.Int(len(m.Text(L, 1))))
	return 1
}

func (m *Library) sub(L *lua.LState) int {
	s := m.Text(L, 1)
	first := max(position(m.integer(L, 2), len(s)), 1)
	last := min(position(m.optional(L, 3, -1), len(s)), int64(len(s)))
	switch {
	case first > last:
		L.Push(m.boxes.String(""))
	case first == 1 && last == int64(len(s)):
		m.pushSame(L, s)
	default:
		L.Push(m.piece(L, s, s[first-1:last]))
	}
	return 1
}

// pushSame pushes argument 1, whose text is s.
func (m *Library) pushSame(L *lua.LState, s string) {
	if v := L.Get(1); v.Type() == lua.LTString {
		L.Push(v)
		return
	}
	L.Push(m.boxes.String(s))
}

func (m *Library) byte(L *lua.LState) int {
	s := m.Text(L, 1)
	i := position(m.optional(L, 2, 1), len(s))
	j := position(m.optional(L, 3, i), len(s))
	i, j = max(i, 1), min(j, int64(len(s)))
	if i > j {
		return 0
	}
	n := j - i + 1
	if n > int64(maxResults-L.GetTop()) {
		return m.Error(L, "stack overflow (string slice too long)")
	}
	for _, c := range []byte(s[i-1 : j]) {
		L.Push(boxes.Int(int(c)))
	}
	return int(n)
}

func (m *Library) char(L *lua.LState) int {
	n, b := L.GetTop(), m.take()
	for i := 1; i <= n; i++ {
		c := int32(m.integer(L, i))
		if c != int32(byte(c)) {
			return m.Bad(L, i, "invalid value")
		}
		b = append(b, byte(c))
	}
	L.Push(m.give(b))
	return 1
}

func (m *Library) rep(L *lua.LState) int {
	s := m.Text(L, 1)
	n := int(int32(m.integer(L, 2)))
	switch {
	case n <= 0 || s == "":
		L.Push(m.boxes.String(""))
	case n == 1:
		m.pushSame(L, s)
	default:
		m.ask(L, len(s)*n)
		if len(s)*n < large {
			m.Budget.Work(L, len(s)*n>>bytesPerStep)
			L.Push(lua.LString(strings.Repeat(s, n)))
			return 1
		}
		b := make([]byte, len(s)*n)
		done := copy(b, s)
		for unit := done; done < len(b); m.Budget.Work(L, unit>>bytesPerStep) {
			if done < large {
				unit = done
			}
			done += copy(b[done:], b[:unit])
		}
		L.Push(lua.LString(unsafe.String(unsafe.SliceData(b), len(b))))
	}
	return 1
}

func (m *Library) reverse(L *lua.LState) int {
	s := m.Text(L, 1)
	if len(s) < 2 {
		m.pushSame(L, s)
		return 1
	}
	m.ask(L, len(s))
	b := slices.Grow(m.take(), len(s))
	m.checked(L, len(s), func(from, to int) {
		for i := from; i < to; i++ {
			b = append(b, s[len(s)-1-i])
		}
	})
	L.Push(m.give(b))
	return 1
}

func (m *Library) upper(L *lua.LState) int { return m.fold(L, 'a') }
func (m *Library) lower(L *lua.LState) int { return m.fold(L, 'A') }

// fold changes the case of the 26 letters that begin with first.
func (m *Library) fold(L *lua.LState, first byte) int {
	s := m.Text(L, 1)
	i := 0
	for i < min(len(s), large) && s[i]-first >= 26 {
		i++
	}
	if i == len(s) {
		m.pushSame(L, s)
		return 1
	}
	m.ask(L, len(s))
	b := append(m.take(), s...)
	m.checked(L, len(b), func(from, to int) {
		for i := from; i < to; i++ {
			if b[i]-first < 26 {
				b[i] ^= 'a' ^ 'A'
			}
		}
	})
	L.Push(m.give(b))
	return 1
}
