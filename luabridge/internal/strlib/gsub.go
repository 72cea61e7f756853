package strlib

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

func (m *Library) gsub(L *lua.LState) int {
	s, pat := m.Text(L, 1), cutZero(m.Text(L, 2))
	limit := int32(m.optional(L, 4, int64(len(s)+1)))
	held := m.Budget.Held()
	text := m.Budget.Text()
	repl := replacement{m: m, L: L, value: L.Get(3), made: &text}
	switch v := repl.value.(type) {
	case lua.LString, lua.LNumber:
		repl.text, _ = args.Text(v)
		repl.escapes = strings.IndexByte(repl.text, '%') >= 0
	case *lua.LFunction, *lua.LTable:
	default:
		return m.Bad(L, 3, "string/function/table expected")
	}
	anchored := strings.HasPrefix(pat, "^")
	if anchored {
		pat = pat[1:]
	}

	ms := m.matching()
	b, at, count := m.take(), 0, int32(0)
	for count < limit {
		ms.begin(L, s, pat)
		start, end, ok := 0, 0, false
		if anchored {
			end = ms.at(0)
			ok = end >= 0
		} else {
			start, end, ok = ms.search(at)
		}
		if !ok {
			break
		}
		count++
		m.bound(L, &text, len(b)+start-at)
		b = append(b, s[at:start]...)
		b = repl.append(b, start, end)
		at = end
		if start == end { // an empty match: continue after the next byte
			if start == len(s) || anchored {
				break
			}
			b = append(b, s[start])
			at = start + 1
		}
		if anchored {
			break
		}
	}
	ms.end()
	if count == 0 {
		m.buf = b
		m.pushSame(L, s)
	} else {
		m.bound(L, &text, len(b)+len(s)-at)
		L.Push(m.give(append(b, s[at:]...)))
	}
	m.Budget.Release(held)
	L.Push(boxes.Int(int(count)))
	return 2
}

// replacement is argument 3 of gsub.
type replacement struct {
	m       *Library
	L       *lua.LState
	value   lua.LValue
	text    string // the text of a string or number
	escapes bool   // text has % in it
	made    *budget.Text
}

// append appends the replacement of the match from s to e to b.
func (r *replacement) append(b []byte, s, e int) []byte {
	ms, L := r.m.matcher, r.L
	whole := ms.src[s:e]
	var v lua.LValue
	switch value := r.value.(type) {
	case *lua.LFunction:
		L.Push(value)
		v = call(L, ms.push(s, e))
	case *lua.LTable:
		v = index(L, value, ms.value(0, s, e))
	default:
		if !r.escapes {
			return r.add(b, r.text)
		}
		return r.expand(b, s, e)
	}
	switch v := v.(type) {
	case lua.LString:
		return r.add(b, string(v))
	case lua.LNumber:
		text, _ := args.Text(v)
		return r.add(b, text)
	case lua.LBool:
		if !v {
			return r.add(b, whole)
		}
	case *lua.LNilType:
		return r.add(b, whole)
	}
	r.m.Error(L, "invalid replacement value (a %s)", v.Type())
	return b
}

// add appends a text to b.
func (r *replacement) add(b []byte, text string) []byte {
	r.m.bound(r.L, r.made, len(b)+len(text))
	return append(b, text...)
}

// expand appends the replacement text with its escapes replaced. %0 to %9 are the match and its
// captures. % before any other byte is that byte; at the end it is a zero byte.
func (r *replacement) expand(b []byte, s, e int) []byte {
	ms := r.m.matcher
	for i := 0; i < len(r.text); i++ {
		r.m.bound(r.L, r.made, len(b)+1)
		c := r.text[i]
		if c != '%' {
			b = append(b, c)
			continue
		}
		i++
		switch {
		case i == len(r.text):
			b = append(b, 0)
		case r.text[i] == '0':
			b = r.add(b, ms.src[s:e])
		case r.text[i]-'0' < 10:
			capture := int(r.text[i] - '1')
			r.m.bound(r.L, r.made, len(b)+ms.longest(capture, s, e))
			b = ms.appendValue(b, capture, s, e)
		default:
			b = append(b, r.text[i])
		}
	}
	return b
}

// call calls the function below n arguments on the stack and returns its first result.
func call(L *lua.LState, n int) lua.LValue {
	L.Call(n, 1)
	v := L.Get(-1)
	L.Pop(1)
	return v
}

// index returns v[key], with metamethods.
func index(L *lua.LState, v lua.LValue, key lua.LValue) lua.LValue {
	for range lua.MaxTableGetLoop {
		tb, isTable := v.(*lua.LTable)
		if isTable {
			if found := tables.Get(tb, key); found != lua.LNil {
				return found
			}
		}
		next := L.GetMetaField(v, "__index")
		if next == lua.LNil {
			if isTable {
				return lua.LNil
			}
			L.Error(lua.LString("attempt to index a "+v.Type().String()+" value"), 0)
		}
		if next.Type() == lua.LTFunction {
			L.Push(next)
			L.Push(v)
			L.Push(key)
			return call(L, 2)
		}
		v = next
	}
	L.Error(lua.LString("loop in gettable"), 0)
	return lua.LNil
}
