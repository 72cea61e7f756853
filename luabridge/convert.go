package luabridge

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/reply"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// boxInt is a number as a value; small ones are not boxed anew.
func boxInt(n int64) lua.LValue {
	if n == int64(int(n)) {
		return boxes.Int(int(n))
	}
	return lua.LNumber(n)
}

// toLua turns a reply into what redis.call hands to the script, in the protocol that
// redis.setresp chose.
func (vm *VM) toLua(L *lua.LState, v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindBulk:
		return vm.boxes.String(v.Text())
	case reply.KindInt:
		return boxInt(v.Int())
	case reply.KindNil, reply.KindNilArray, reply.KindNone:
		if vm.proto == 2 {
			return lua.LFalse
		}
		return lua.LNil
	case reply.KindStatus:
		return field(L, "ok", lua.LString(v.Text()))
	case reply.KindError:
		return errorTable(L, v.Text(), true)
	case reply.KindArray, reply.KindPush:
		return vm.toArray(L, v)
	}
	if vm.proto == 2 {
		return vm.flatten(L, v)
	}
	switch v.Kind() {
	case reply.KindMap:
		tb := tables.NewObject(v.Len() / 2)
		for i, s := 0, v.Slice(); i+1 < len(s); i += 2 {
			setRaw(tb, vm.toLua(L, s[i]), vm.toLua(L, s[i+1]))
		}
		return field(L, "map", tb)
	case reply.KindSet:
		tb := tables.NewObject(v.Len())
		for _, e := range v.Slice() {
			setRaw(tb, vm.toLua(L, e), lua.LTrue)
		}
		return field(L, "set", tb)
	case reply.KindDouble:
		return field(L, "double", lua.LNumber(v.Float()))
	case reply.KindBool:
		return lua.LBool(v.Bool())
	case reply.KindBigNumber:
		return field(L, "big_number", lua.LString(v.Text()))
	case reply.KindVerbatim:
		tb := tables.NewObject(2)
		tables.SetString(tb, "string", lua.LString(v.Text()))
		tables.SetString(tb, "format", lua.LString(v.Format()))
		return field(L, "verbatim_string", tb)
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return vm.toLua(L, s[len(s)-1])
	}
	return lua.LNil
}

// flatten is toLua for the kinds that RESP2 does not have.
func (vm *VM) flatten(L *lua.LState, v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindMap, reply.KindSet:
		return vm.toArray(L, v)
	case reply.KindBool:
		return boxInt(v.Int())
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return vm.toLua(L, s[len(s)-1])
	}
	return vm.boxes.String(v.Text())
}

// fewScalars is how many elements a reply may have whose table is filled at once.
const fewScalars = 16

// toArray makes a table of an array. That of a reply with arrays in it, or with many elements, is filled when somebody looks: most scripts look into
// few of them, and some hand them on as they are.
func (vm *VM) toArray(L *lua.LState, v reply.Value) lua.LValue {
	list := v.Slice()
	if vm.proto == 2 {
		if len(list) > fewScalars || slices.ContainsFunc(list, isArray) {
			return tables.NewPending(v, vm.openFn)
		}
		tb, values := tables.NewElements(len(list))
		vm.fill(values, list)
		return tb
	}
	room := tables.ArrayRoom(len(list))
	if slices.ContainsFunc(list, isNil) {
		room = 0 // holes: Lua's table grows one by one, and its length depends on how
	}
	tb := tables.New(room, 0)
	for i, e := range list {
		tables.SetInt(tb, i+1, vm.toLua(L, e))
	}
	return tb
}

// fill makes the values of an array of RESP2.
func (vm *VM) fill(values []lua.LValue, list []reply.Value) {
	for i := range list {
		if e := &list[i]; e.Kind() == reply.KindBulk {
			values[i] = vm.boxes.String(e.Text())
		} else {
			values[i] = vm.toLua(vm.L, *e)
		}
	}
}

// elements makes the values of an array of RESP2.
func (vm *VM) elements(v reply.Value) []lua.LValue {
	proto := vm.proto
	vm.proto = 2
	values := make([]lua.LValue, v.Len(), tables.ArrayRoom(v.Len()))
	vm.fill(values, v.Slice())
	vm.proto = proto
	return values
}

func isArray(v reply.Value) bool { return v.Kind() == reply.KindArray }

// deepest is how many arrays may lie in each other in a reply that is handed on as it is.
const deepest = 8

// same reports whether an array reply comes out of Lua as it went in.
func same(v reply.Value, depth int) bool {
	for _, e := range v.Slice() {
		switch e.Kind() {
		case reply.KindBulk, reply.KindNil:
		case reply.KindInt:
			if n := e.Int(); n > 1<<53 || n < -1<<53 {
				return false
			}
		case reply.KindArray:
			if depth == 0 || !same(e, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isNil(v reply.Value) bool {
	switch v.Kind() {
	case reply.KindNil, reply.KindNilArray, reply.KindNone:
		return true
	}
	return false
}

// setRaw leaves out what Lua cannot use as a key.
func setRaw(tb *lua.LTable, k, v lua.LValue) {
	if n, ok := k.(lua.LNumber); k != lua.LNil && (!ok || n == n) {
		tables.Set(tb, k, v)
	}
}

func field(L *lua.LState, name string, v lua.LValue) *lua.LTable {
	tb := tables.NewObject(1)
	tables.SetString(tb, name, v)
	return tb
}

// countedField is what Redis sets in the table of an error that its statistics have counted already.
const countedField = "ignore_error_stats_update"

// errorTable is the table that stands for an error reply in a script.
func errorTable(L *lua.LState, line string, counted bool) *lua.LTable {
	tb := tables.NewObject(2)
	if counted { // the command's own statistics have it already
		tables.SetString(tb, countedField, lua.LTrue)
	}
	tables.SetString(tb, "err", lua.LString(line))
	return tb
}

// maxSlots is how many values may lie on the stack where Redis converts one: it wants room for four
// more under Lua's limit.
const maxSlots = 8000 - 4

// outermost is how many values lie on the stack when the conversion begins.
const outermost = 2

// result turns what a script returned into its reply.
func (vm *VM) result(v lua.LValue) reply.Value { return vm.fromLua(v, outermost) }

// fromLua converts one value. slots is how many values lie on the stack by now: Redis keeps there what it has not finished, one
// for each array around the value and three for each map or set.
func (vm *VM) fromLua(v lua.LValue, slots int) reply.Value {
	if slots > maxSlots {
		return reply.Err("ERR reached lua stack limit")
	}
	switch v := v.(type) {
	case lua.LString:
		return reply.Bulk(string(v))
	case lua.LNumber:
		return reply.Int(toInt(float64(v)))
	case lua.LBool:
		switch {
		case vm.proto > 2:
			return reply.Bool(bool(v))
		case bool(v):
			return reply.Int(1)
		}
	case *lua.LTable:
		return vm.fromTable(vm.unproxy(v), slots)
	}
	return reply.Nil()
}

// toInt is C's conversion on amd64: what does not fit becomes the smallest integer.
func toInt(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

func (vm *VM) fromTable(tb *lua.LTable, slots int) reply.Value {
	if v, ok := tables.Pending(tb); ok && vm.proto == 2 && slots < maxSlots-2*deepest && tb.Metatable == lua.LNil && same(v, deepest) {
		return reply.Array(v.Slice()...)
	}
	if tables.HasHash(tb) {
		if v, ok := vm.fromSpecial(tb, slots); ok {
			return v
		}
	}
	array := tables.Array(tb)
	out := make([]reply.Value, 0, len(array))
	for i := 0; ; i++ {
		var e lua.LValue
		if i < len(array) {
			e = array[i]
		} else {
			e = tables.GetInt(tb, i+1)
		}
		if e == lua.LNil {
			return reply.Array(out...)
		}
		out = append(out, vm.fromLua(e, slots+1))
	}
}

// fromSpecial reads the tables that stand for one value of another kind.
func (vm *VM) fromSpecial(tb *lua.LTable, slots int) (reply.Value, bool) {
	if s, ok := tb.RawGetString("err").(lua.LString); ok {
		v := reply.Err(oneLine(cString(string(s))))
		if vm.errorField(tb, countedField) == lua.LTrue {
			v = reply.Told(v)
		}
		if slots > outermost {
			vm.host.InnerError(v)
		}
		return v, true
	}
	if s, ok := tb.RawGetString("ok").(lua.LString); ok {
		return reply.Status(oneLine(cString(string(s)))), true
	}
	if n, ok := tb.RawGetString("double").(lua.LNumber); ok {
		return reply.Double(float64(n)), true
	}
	if m, ok := tb.RawGetString("map").(*lua.LTable); ok {
		var out []reply.Value
		for _, e := range vm.entries(m) {
			out = append(out, vm.fromLua(e.Key, slots+4), vm.fromLua(e.Value, slots+3))
		}
		return reply.Map(out...), true
	}
	if m, ok := tb.RawGetString("set").(*lua.LTable); ok {
		var out []reply.Value
		for _, e := range vm.entries(m) {
			out = append(out, vm.fromLua(e.Key, slots+3))
		}
		return reply.Set(out...), true
	}
	if s, ok := tb.RawGetString("big_number").(lua.LString); ok {
		return reply.BigNumber(oneLine(string(s))), true
	}
	if m, ok := tb.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, ok := m.RawGetString("format").(lua.LString)
		text, ok2 := m.RawGetString("string").(lua.LString)
		if ok && ok2 {
			return reply.Verbatim((string(format) + "   ")[:3], string(text)), true
		}
	}
	return reply.Value{}, false
}

// entries lists a table as pairs walks it: the array part first.
func (vm *VM) entries(tb *lua.LTable) []tables.Entry {
	return tables.Entries(vm.visible(tb), nil)
}
