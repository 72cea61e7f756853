package cmsgpack

import (
	"fmt"
	"math"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Library is the library with its ties to the program around it. The zero value works. It belongs
// to one goroutine.
type Library struct {
	// Real returns the table behind a read-only stand-in, and other tables as they are. Optional;
	// see the package comment.
	Real func(*lua.LTable) *lua.LTable

	// Fail raises a message with the position of the caller. BadArgument raises the error that
	// argument n of the running function is wrong. They do not return. Optional.
	Fail        func(L *lua.LState, format string, args ...any) int
	BadArgument func(L *lua.LState, n int, problem string) int
	// Raise raises a message as it is. It does not return. Optional.
	Raise func(L *lua.LState, v lua.LValue)

	// Budget limits the functions; nil: no limits.
	Budget *budget.Budget
	// Hashing is how the tables of the functions hash strings. It is for package luabridge.
	Hashing tables.Hashing

	boxes boxes.Boxes
	buf   []byte // the message being written; reused
}

// maxStack is the number of values that a C function of Lua can hold (LUAI_MAXCSTACK). It limits
// the arguments of pack, the results of unpack, and how deep a message nests.
const maxStack = 8000

// functions lists the functions in the order that pairs shows.
var functions = []args.Function[Library]{
	{Name: "pack", Call: (*Library).luaPack},
	{Name: "unpack", Call: (*Library).luaUnpack},
	{Name: "unpack_one", Call: (*Library).luaUnpackOne},
	{Name: "unpack_limit", Call: (*Library).luaUnpackLimit},
}

// Open returns the table of the library.
func (m *Library) Open(L *lua.LState) *lua.LTable { return Table(args.Bind(L, m)) }

// Table returns the table of the library with values of its functions that value makes. It is for
// package luabridge.
func Table(value args.Maker[Library]) *lua.LTable {
	tb := &lua.LTable{Metatable: lua.LNil}
	for _, f := range functions {
		tb.RawSetString(f.Name, value(f))
	}
	tb.RawSetString("_NAME", lua.LString("cmsgpack"))
	tb.RawSetString("_VERSION", lua.LString("lua-cmsgpack 0.4.0"))
	tb.RawSetString("_COPYRIGHT", lua.LString("Copyright (C) 2012, Salvatore Sanfilippo"))
	tb.RawSetString("_DESCRIPTION", lua.LString("MessagePack C implementation for Lua"))
	return tb
}

func (m *Library) luaPack(L *lua.LState) int {
	n := L.GetTop()
	if n == 0 {
		return m.badArgument(L, 0, "pack", "MessagePack pack needs input.")
	}
	if 2*n > maxStack { // there is also a message for each argument
		return m.badArgument(L, 0, "pack", "Too many arguments for MessagePack pack.")
	}
	e := encoder{real: m.Real, budget: m.Budget, L: L, text: m.Budget.Text()}
	held := m.Budget.Held()
	b := m.buf[:0]
	for i := 1; i <= n; i++ {
		if b = e.value(b, L.Get(i), 0, n+i); e.problem != "" {
			return m.fail(L, "%s", e.problem)
		}
	}
	m.Budget.Release(held)
	if cap(b) <= 1<<16 {
		m.buf = b
		L.Push(lua.LString(b))
		return 1
	}
	L.Push(lua.LString(unsafe.String(unsafe.SliceData(b), len(b)))) // b is not reused, so it need not be copied
	return 1
}

func (m *Library) luaUnpack(L *lua.LState) int { return m.unpack(L, "unpack", 0, 0) }

func (m *Library) luaUnpackOne(L *lua.LState) int {
	return m.unpack(L, "unpack_one", 1, m.integer(L, 2, "unpack_one", true))
}

func (m *Library) luaUnpackLimit(L *lua.LState) int {
	limit := m.integer(L, 2, "unpack_limit", false)
	return m.unpack(L, "unpack_limit", limit, m.integer(L, 3, "unpack_limit", true))
}

// unpack pushes up to limit values of argument 1 from offset on, and before them the offset of the
// next value, or -1 at the end. Limit and offset 0 mean all values without an offset.
func (m *Library) unpack(L *lua.LState, function string, limit, offset int64) int {
	src, ok := "", true
	switch v := L.Get(1).(type) {
	case lua.LString:
		src = string(v)
	case lua.LNumber:
		src = numbers.Text(float64(v))
	default:
		ok = false
	}
	switch {
	case !ok:
		return m.badType(L, 1, function, "string")
	case limit < 0 || offset < 0: // Redis reports the length for the limit
		return m.fail(L, "Invalid request to unpack with offset of %d and limit of %d.", int32(offset), int32(len(src)))
	case offset > int64(len(src)):
		return m.fail(L, "Start offset %d greater than input length %d.", int32(offset), int32(len(src)))
	}
	all := limit == 0 && offset == 0
	if all {
		limit = math.MaxInt32
	}
	d := decoder{src: src, boxes: &m.boxes, pos: int(offset), stock: m.Real == nil, budget: m.Budget, hashing: m.Hashing, L: L}
	held := m.Budget.Held()
	var few [8]lua.LValue
	out := few[:0]
	for d.pos < len(src) && int64(len(out)) < limit {
		v := d.value(1 + len(out))
		if d.problem != nil {
			return d.problem.raise(m, L)
		}
		out = append(out, v)
	}
	m.Budget.Release(held)
	count := len(out)
	if !all {
		if 1+len(out)+1 > maxStack {
			return m.fail(L, "stack overflow (in function mp_unpack_full)")
		}
		next := d.pos
		if next == len(src) {
			next = -1
		}
		L.Push(lua.LNumber(next))
		count++
	}
	for _, v := range out {
		L.Push(v)
	}
	return count
}

// integer reads argument n as Lua's integer. A missing optional one is 0.
func (m *Library) integer(L *lua.LState, n int, function string, optional bool) int64 {
	f, ok := 0.0, false
	switch v := L.Get(n).(type) {
	case lua.LNumber:
		f, ok = float64(v), true
	case lua.LString:
		f, ok = numbers.Parse(string(v))
	case *lua.LNilType:
		ok = optional
	}
	if !ok {
		m.badType(L, n, function, "number")
	}
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64 // the processor's result for all others
}

func (m *Library) badType(L *lua.LState, n int, function, want string) int {
	got := "no value"
	if n <= L.GetTop() {
		got = L.Get(n).Type().String()
	}
	return m.badArgument(L, n, function, want+" expected, got "+got)
}

func (m *Library) badArgument(L *lua.LState, n int, function, problem string) int {
	if m.BadArgument != nil {
		return m.BadArgument(L, n, problem)
	}
	return m.fail(L, "bad argument #%d to '%s' (%s)", n, function, problem)
}

func (m *Library) fail(L *lua.LState, format string, a ...any) int {
	if m.Fail != nil {
		return m.Fail(L, format, a...)
	}
	L.Error(lua.LString(L.Where(1)+fmt.Sprintf(format, a...)), 0)
	return 0
}
