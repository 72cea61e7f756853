package baselib

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Library is the library with its ties to the program around it. It belongs to one goroutine.
type Library struct {
	args.Host
	// Where returns the position of the function at a level of the stack (0: the running one) as
	// error messages begin with it.
	Where func(L *lua.LState, level int) string
	// Shown returns the table that walks over a table see.
	Shown func(*lua.LTable) *lua.LTable
	// Metatable returns what getmetatable returns for a value that is not to show its own, and
	// whether it is one.
	Metatable func(v lua.LValue) (mt lua.LValue, ok bool)
	// StandIn returns the stand-in of a table that scripts must not hold, and other tables as they
	// are.
	StandIn func(*lua.LTable) *lua.LTable
	// Globals returns the value of _G.
	Globals func() lua.LValue
	// Next is the function that pairs returns, Step the one that ipairs returns: [NextFunction] and
	// [StepFunction].
	Next, Step *lua.LFunction

	cursor   tables.Cursor // of next
	shuffled shuffled
}

// Shuffle makes walks go through tables in an order that depends on seed; 0: in Lua's order.
func (b *Library) Shuffle(seed uint64) { b.shuffled.seed = seed }

// Functions returns the functions of the library.
func Functions() []args.Function[Library] {
	return []args.Function[Library]{
		{Name: "assert", Call: (*Library).assert},
		{Name: "error", Call: (*Library).error},
		{Name: "getmetatable", Call: (*Library).getMetatable},
		{Name: "ipairs", Call: (*Library).ipairs},
		{Name: "next", Call: (*Library).next},
		{Name: "pairs", Call: (*Library).pairs},
		{Name: "rawequal", Call: (*Library).rawEqual},
		{Name: "rawget", Call: (*Library).rawGet},
		{Name: "rawset", Call: (*Library).rawSet},
		{Name: "select", Call: (*Library).selectFrom},
		{Name: "setmetatable", Call: (*Library).setMetatable},
		{Name: "tonumber", Call: (*Library).toNumber},
		{Name: "tostring", Call: (*Library).toString},
		{Name: "type", Call: (*Library).typeName},
		{Name: "unpack", Call: (*Library).unpack},
	}
}

// The functions that pairs and ipairs return. The first is not the same value as the global next.
var (
	NextFunction = args.Function[Library]{Name: "next", Call: (*Library).next}
	StepFunction = args.Function[Library]{Name: "step", Call: (*Library).step}
)

// Forget drops what is remembered of walks.
func (b *Library) Forget() {
	b.cursor.Forget()
	if b.shuffled.seed != 0 {
		b.shuffled.forget()
	}
}

func (b *Library) assert(L *lua.LState) int {
	b.Any(L, 1)
	if lua.LVAsBool(L.Get(1)) {
		return L.GetTop()
	}
	return b.Error(L, "%s", args.CString(b.OptionalText(L, 2, "assertion failed!")))
}

// error is error(message [, level]).
func (b *Library) error(L *lua.LState) int {
	level := b.OptionalInt(L, 2, 1)
	v := L.Get(1)
	if s, ok := args.Text(v); ok && level > 0 {
		b.Budget.Ask(L, len(s))
		v = lua.LString(b.Where(L, level) + s)
	}
	b.Throw(L, v)
	return 0
}

// unpack is unpack(list [, first [, last]]).
func (b *Library) unpack(L *lua.LState) int {
	tb := b.Table(L, 1)
	first := b.OptionalInt(L, 2, 1)
	last := 0
	if L.Get(3) != lua.LNil {
		last = b.Int(L, 3)
	} else {
		last = tables.Len(tb)
	}
	if first > last {
		return 0
	}
	n := last - first + 1
	if n > args.MaxResults-L.GetTop() {
		return b.Error(L, "too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(tables.GetInt(tb, i))
	}
	return n
}

// selectFrom is select(n, ...). It returns the arguments from the n-th on, or their number for "#".
func (b *Library) selectFrom(L *lua.LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(lua.LString); ok && s != "" && s[0] == '#' {
		L.Push(boxes.Int(n - 1))
		return 1
	}
	i := b.Int(L, 1)
	if i < 0 {
		i += n
	}
	if i < 1 {
		return b.Bad(L, 1, "index out of range")
	}
	return max(n-i, 0)
}

// typeNames are the results of type, boxed once.
var typeNames = func() (names [lua.LTChannel + 1]lua.LValue) {
	for t := range names {
		names[t] = lua.LString(lua.LValueType(t).String())
	}
	return names
}()

func (b *Library) typeName(L *lua.LState) int {
	b.Any(L, 1)
	L.Push(typeNames[L.Get(1).Type()])
	return 1
}

func (b *Library) getMetatable(L *lua.LState) int {
	b.Any(L, 1)
	mt, ok := b.Metatable(L.Get(1))
	if !ok {
		mt = L.GetMetatable(L.Get(1))
		if tb, ok := mt.(*lua.LTable); ok {
			mt = b.StandIn(tb)
		}
	}
	L.Push(mt)
	return 1
}

func (b *Library) setMetatable(L *lua.LState) int {
	tb, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return b.Type(L, 1, "table")
	}
	mt := L.Get(2)
	if _, ok := mt.(*lua.LTable); !ok && (mt != lua.LNil || L.GetTop() < 2) {
		return b.Bad(L, 2, "nil or table expected")
	}
	if b.Real(tb) != tb {
		b.Throw(L, lua.LString(args.ReadOnly))
	}
	if old, ok := tb.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		return b.Error(L, "cannot change a protected metatable")
	}
	if m, ok := mt.(*lua.LTable); ok {
		mt = b.Real(m)
	}
	tb.Metatable = mt
	L.SetTop(1)
	return 1
}

func (b *Library) rawEqual(L *lua.LState) int {
	b.Any(L, 1)
	b.Any(L, 2)
	L.Push(lua.LBool(L.Get(1) == L.Get(2)))
	return 1
}

func (b *Library) rawGet(L *lua.LState) int {
	tb := b.Table(L, 1)
	b.Any(L, 2)
	L.Push(tables.Get(b.Shown(tb), L.Get(2)))
	return 1
}

func (b *Library) rawSet(L *lua.LState) int {
	tb := b.Table(L, 1)
	b.Any(L, 2)
	b.Any(L, 3)
	key := L.Get(2)
	b.Writable(L, tb)
	switch k := key.(type) {
	case *lua.LNilType:
		b.Throw(L, lua.LString("table index is nil"))
	case lua.LNumber:
		if math.IsNaN(float64(k)) {
			b.Throw(L, lua.LString("table index is NaN"))
		}
	}
	tables.Set(tb, key, L.Get(3))
	L.SetTop(1)
	return 1
}

func (b *Library) toString(L *lua.LState) int {
	b.Any(L, 1)
	v := L.Get(1)
	if fn := args.Metamethod(v, "__tostring"); fn != lua.LNil {
		if problem := args.NotCallable(fn); problem != "" {
			b.Throw(L, lua.LString(problem))
		}
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	if _, ok := v.(lua.LString); ok {
		L.SetTop(1)
		return 1
	}
	L.Push(lua.LString(args.ToString(v)))
	return 1
}
