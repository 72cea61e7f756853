package tables

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	lua "github.com/yuin/gopher-lua"
)

// New returns an empty table with the room that Lua makes for a constructor with array elements and
// hash keyed fields.
func New(array, hash int) *lua.LTable {
	tb := roomy(array)
	if hash > 0 {
		l := look(tb)
		l.strdict = make(map[string]lua.LValue, hash)
		l.keys = make([]lua.LValue, 1, hash+1)
		l.keys[0] = sizesOf(array, powerAbove(hash))
	}
	return tb
}

// roomy returns an empty table with room for n elements. If n is small, the elements are allocated
// together with the table.
func roomy(n int) *lua.LTable {
	switch {
	case n == 0:
		return &lua.LTable{Metatable: lua.LNil}
	case n <= 2:
		tb := &struct {
			lua.LTable
			room [2]lua.LValue
		}{LTable: lua.LTable{Metatable: lua.LNil}}
		look(&tb.LTable).array = tb.room[:0:n]
		return &tb.LTable
	case n <= 4:
		tb := &struct {
			lua.LTable
			room [4]lua.LValue
		}{LTable: lua.LTable{Metatable: lua.LNil}}
		look(&tb.LTable).array = tb.room[:0:n]
		return &tb.LTable
	}
	tb := &lua.LTable{Metatable: lua.LNil}
	look(tb).array = make([]lua.LValue, 0, n)
	return tb
}

// NewElements returns a table like [NewArray] for n elements and with a room, and the elements,
// which the caller must set.
func NewElements(n, room int) (*lua.LTable, []lua.LValue) {
	tb := roomy(room)
	l := look(tb)
	l.array = l.array[:n]
	return tb, l.array
}

// Sizes of small constructors, made once.
const shared = 33

var sharedSizes = func() (t [shared][]*sizes) {
	for array := range t {
		for nodes := 0; nodes < shared; nodes = max(nodes*2, nodes+1) {
			t[array] = append(t[array], &sizes{array: array, nodes: nodes})
		}
	}
	return t
}()

// sizesOf returns the sizes for a number of nodes, a power of two.
func sizesOf(array, nodes int) *sizes {
	if array < shared && nodes < shared {
		i := 0
		for sharedSizes[array][i].nodes < nodes {
			i++
		}
		return sharedSizes[array][i]
	}
	return &sizes{array: array, nodes: nodes}
}

// NewObject returns an empty table with memory for n string keys, which [AddString] adds. To Lua it
// is {}.
func NewObject(n int) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	if n > 0 {
		l := look(tb)
		l.strdict = make(map[string]lua.LValue, n)
		l.keys = make([]lua.LValue, 0, n)
	}
	return tb
}

// AddString is SetString for a table of [NewObject] and a key that is already a Lua value, which
// must be an lua.LString: the key is not boxed again.
func AddString(tb *lua.LTable, key, value lua.LValue) {
	SetKey(tb, key, string(key.(lua.LString)), value)
}

// Replace sets the value of a string key that the table has.
func Replace(tb *lua.LTable, key string, value lua.LValue) { look(tb).strdict[key] = value }

// NewArray returns a table with values as its elements 1 to n. None may be LNil. To Lua they were
// added to {} one by one. The table keeps the slice, or a copy with another capacity.
func NewArray(values []lua.LValue) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	SetArray(tb, values, powerAbove(len(values)))
	return tb
}

// IsArray reports whether tb, a table of [NewArray], still has only elements.
func IsArray(tb *lua.LTable) bool {
	l := look(tb)
	return len(l.keys) == 0 && l.strdict == nil && len(l.dict) == 0 && l.k2i == nil
}

// SetArray replaces the elements of a table of [NewArray], which then has room for so many. Nobody
// else may use tb.
func SetArray(tb *lua.LTable, values []lua.LValue, room int) {
	switch {
	case cap(values) > room:
		values = values[:len(values):room]
	case cap(values) < room:
		values = append(make([]lua.LValue, 0, room), values...)
	}
	look(tb).array = values
}

// SetList sets the elements from offset+1 on, as a part of a constructor's list does.
func SetList(tb *lua.LTable, offset int, values []lua.LValue) {
	l := opened(tb)
	last := offset + len(values)
	if last > cap(l.array) {
		l.makeRoom(last)
	}
	if offset == len(l.array) && l.k2i == nil && !hasNil(values) {
		if last <= cap(l.array) {
			l.array = append(l.array, values...)
			return
		}
	}
	l.split()
	for i := len(values) - 1; i >= 0; i-- {
		SetInt(tb, offset+i+1, values[i])
	}
}

// makeRoom makes the array part n elements long, as a list that ends in a call does.
func (l *layout) makeRoom(n int) {
	if len(l.keys) == 0 && l.k2i == nil {
		l.array = append(make([]lua.LValue, 0, n), l.array...)
		return
	}
	p := l.split()
	p.resize(l, n, len(p.nodes))
}

func hasNil(values []lua.LValue) bool {
	for _, v := range values {
		if v == lua.LNil {
			return true
		}
	}
	return false
}

// MaxStock is the limit of integer keys for [Stock]. gopher-lua allocates 16 bytes for each index
// below one.
const MaxStock = 1 << 24

// Stock turns a table of this package into one that gopher-lua's own loop can change. It fails on
// tables with integer keys above [MaxStock].
func Stock(tb *lua.LTable) bool {
	l := opened(tb)
	array := l.array
	var entries []Entry
	if l.parts() == nil {
		for _, k := range l.keys { // gopher-lua keeps the order as well
			if s, ok := k.(lua.LString); ok {
				entries = append(entries, Entry{k, l.strdict[string(s)]})
			}
		}
	} else {
		entries, array = Hash(tb, nil), nil
		for i, v := range l.array {
			if v != lua.LNil {
				entries = append(entries, Entry{boxes.Int(i + 1), v})
			}
		}
	}
	for _, e := range entries {
		if arrayIndex(e.Key) >= MaxStock {
			return false
		}
	}
	*l = layout{Metatable: l.Metatable, array: array}
	for _, e := range entries {
		tb.RawSet(e.Key, e.Value)
	}
	return true
}

// Shift moves the elements first to last by some places, up or down, if all of them are in the
// array part. It reports whether it did.
func Shift(tb *lua.LTable, first, last, by int) bool {
	l := opened(tb)
	if first < 1 || first+by < 1 || last > len(l.array) || last+by > len(l.array) {
		return false
	}
	if first <= last {
		copy(l.array[first+by-1:], l.array[first-1:last])
	}
	return true
}
