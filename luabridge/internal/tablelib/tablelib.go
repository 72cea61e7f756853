package tablelib

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Library is the library with its ties to the program around it. It belongs to one goroutine.
type Library struct {
	args.Host
	// Next is the function that pairs returns.
	Next *lua.LFunction
	// Less compares two values as the operator < does, with metamethods.
	Less func(L *lua.LState, a, b lua.LValue) bool
	// Each calls f for the entries of a table in the order of pairs, until f returns false.
	Each func(L *lua.LState, tb *lua.LTable, f func(tables.Entry) bool)

	buf []byte // for concat; reused
}

// large is the length in bytes from which a string is not copied from the buffer.
const large = 1 << 20

// keptBuffer is the largest buffer that is kept between calls, in bytes.
const keptBuffer = 1 << 16

// Functions returns the functions of the library.
func Functions() []args.Function[Library] {
	return []args.Function[Library]{
		{Name: "concat", Call: (*Library).concat},
		{Name: "foreach", Call: (*Library).foreach},
		{Name: "foreachi", Call: (*Library).foreachi},
		{Name: "getn", Call: (*Library).getn},
		{Name: "insert", Call: (*Library).insert},
		{Name: "maxn", Call: (*Library).maxn},
		{Name: "remove", Call: (*Library).remove},
		{Name: "setn", Call: (*Library).setn},
		{Name: "sort", Call: (*Library).sort},
	}
}

// longestNumber is the largest length of a number's text, in bytes.
const longestNumber = 32

const (
	elementsPerLook = 256 // elements of a table between two checks of the budget
	bytesPerStep    = 8   // log2 of the number of bytes that are copied for one step
)

// concat is concat(table [, separator [, first [, last]]]).
func (m *Library) concat(L *lua.LState) int {
	sep := m.OptionalText(L, 2, "")
	tb := m.Table(L, 1)
	first := m.OptionalInt(L, 3, 1)
	last := 0
	if L.Get(4) != lua.LNil {
		last = m.Int(L, 4)
	} else {
		last = tables.Len(tb)
	}
	buf := m.buf[:0]
	held := m.Budget.Held()
	text := m.Budget.Text()
	for i := first; i <= last; {
		end := last
		if last-i >= elementsPerLook {
			end = i + elementsPerLook - 1
		}
		m.Budget.Work(L, end-i+1)
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
					m.Budget.Work(L, n>>bytesPerStep)
				}
			}
			if n += len(buf) + len(sep); n > room {
				if !text.To(m.Budget, L, n) {
					return m.Error(L, budget.TooLarge)
				}
				room = text.Room()
			}
			if isText {
				buf = append(buf, s...)
			} else if number, ok := value.(lua.LNumber); ok {
				buf = numbers.Append(buf, float64(number), 14)
			} else {
				return m.Error(L, "invalid value (%s) at index %d in table for 'concat'", value.Type(), i)
			}
			if i < last {
				buf = append(buf, sep...)
			}
		}
	}
	m.Budget.Release(held)
	if len(buf) >= large { // not kept, and so not copied
		L.Push(lua.LString(unsafe.String(unsafe.SliceData(buf), len(buf))))
		return 1
	}
	if cap(buf) <= keptBuffer {
		m.buf = buf
	}
	L.Push(lua.LString(buf))
	return 1
}

// shiftedPerStep is log2 of the number of elements that are moved for one step.
const shiftedPerStep = 6

// insert is insert(table, [position,] value).
func (m *Library) insert(L *lua.LState) int {
	tb := m.Table(L, 1)
	end := tables.Len(tb) + 1
	at := end
	switch L.GetTop() {
	case 2:
		m.Writable(L, tb)
	case 3:
		at = m.Int(L, 2)
		end = max(end, at)
		m.Writable(L, tb)
		if end > at {
			tables.SetInt(tb, end, tables.GetInt(tb, end-1))
			end--
		}
		m.Budget.Work(L, max(end-at, 0)>>shiftedPerStep)
		if tables.Shift(tb, at, end-1, 1) {
			end = at
		}
		for i := end; i > at; i-- {
			tables.SetInt(tb, i, tables.GetInt(tb, i-1))
			m.Budget.Work(L, 1)
		}
	default:
		return m.Error(L, "wrong number of arguments to 'insert'")
	}
	tables.SetInt(tb, at, L.Get(-1))
	return 0
}

// remove is remove(table [, position]).
func (m *Library) remove(L *lua.LState) int {
	tb := m.Table(L, 1)
	end := tables.Len(tb)
	at := m.OptionalInt(L, 2, end)
	if at < 1 || at > end {
		return 0
	}
	removed := tables.GetInt(tb, at)
	m.Writable(L, tb)
	m.Budget.Work(L, (end-at)>>shiftedPerStep)
	if tables.Shift(tb, at+1, end, -1) {
		at = end
	}
	for ; at < end; at++ {
		tables.SetInt(tb, at, tables.GetInt(tb, at+1))
		m.Budget.Work(L, 1)
	}
	tables.SetInt(tb, end, lua.LNil)
	L.Push(removed)
	return 1
}

func (m *Library) getn(L *lua.LState) int {
	L.Push(boxes.Int(tables.Len(m.Table(L, 1))))
	return 1
}

func (m *Library) setn(L *lua.LState) int {
	m.Table(L, 1)
	return m.Error(L, "'setn' is obsolete")
}

// maxn is maxn(table). It returns the largest positive number among the keys, or 0.
func (m *Library) maxn(L *lua.LState) int {
	most := lua.LNumber(0)
	held := m.Budget.Held()
	m.Each(L, m.Table(L, 1), func(e tables.Entry) bool {
		if n, ok := e.Key.(lua.LNumber); ok && n > most {
			most = n
		}
		return true
	})
	m.Budget.Release(held)
	L.Push(boxes.Float(float64(most)))
	return 1
}

// foreach is foreach(table, function). It calls the function with each key and value until it
// returns a value.
func (m *Library) foreach(L *lua.LState) int {
	m.Table(L, 1)
	fn := m.Function(L, 2)
	var key lua.LValue = lua.LNil
	for {
		L.Push(m.Next)
		L.Push(L.Get(1))
		L.Push(key)
		L.Call(2, 2)
		if key = L.Get(-2); key == lua.LNil {
			return 0
		}
		value := L.Get(-1)
		L.Pop(2)
		if m.foreachStep(L, fn, key, value) {
			return 1
		}
		m.Budget.Work(L, 1)
	}
}

// foreachi is foreach for the elements 1 to n.
func (m *Library) foreachi(L *lua.LState) int {
	tb := m.Table(L, 1)
	n := tables.Len(tb)
	fn := m.Function(L, 2)
	for i := 1; i <= n; i++ {
		if m.foreachStep(L, fn, boxes.Int(i), tables.GetInt(tb, i)) {
			return 1
		}
		m.Budget.Work(L, 1)
	}
	return 0
}

// foreachStep calls the function. It reports whether the function has returned a value, which is on
// the stack then.
func (m *Library) foreachStep(L *lua.LState, fn *lua.LFunction, key, value lua.LValue) bool {
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
