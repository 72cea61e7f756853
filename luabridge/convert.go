package luabridge

import (
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// boxInt is a number as a value; small ones are not boxed anew.
func boxInt(n int64) lua.LValue {
	if n == int64(int(n)) {
		return boxes.Int(int(n))
	}
	return lua.LNumber(n)
}

// Bytes to hold during a conversion: for a table made from a reply, and for each of its elements,
// keys or values with their boxes; for the list of a reply made from a table, and for each of its
// elements.
const (
	heldTable        = 160
	heldElement      = 48
	heldEntry        = 120
	heldReply        = 48
	heldReplyElement = 48
)

// fromReply is toLua for the reply of a command. It spends the budget.
func (vm *VM) fromReply(L *lua.LState, v reply.Value) lua.LValue {
	list := v.Slice()
	if list == nil {
		return vm.toLua(v)
	}
	if vm.proto == 2 && len(list) <= fewScalars && v.Kind() == reply.KindArray && !slices.ContainsFunc(list, isList) {
		vm.budget.Work(L, 1+len(list)) // too little to hold
		return vm.fewElements(list)
	}
	held := vm.budget.Held()
	vm.weighReply(L, v)
	result := vm.toLua(v)
	vm.budget.Release(held)
	return result
}

// weighReply holds the bytes that the Lua value of a reply will need. It may recurse: replies of
// Redis commands nest only a few levels deep.
func (vm *VM) weighReply(L *lua.LState, v reply.Value) {
	list := v.Slice()
	vm.budget.Work(L, 1+len(list))
	each := heldElement
	if kind := v.Kind(); kind != reply.KindArray && vm.proto > 2 {
		each = heldEntry
	}
	vm.budget.Hold(L, heldTable+each*len(list))
	for i := range list {
		if list[i].Slice() != nil {
			vm.weighReply(L, list[i])
		}
	}
}

// toLua turns a reply into what redis.call hands to the script, in the protocol that
// redis.setresp chose.
func (vm *VM) toLua(v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindBulk:
		return vm.boxes.String(v.Text())
	case reply.KindInt:
		return boxInt(v.MustInt())
	case reply.KindNil, reply.KindNilArray, reply.KindNone:
		if vm.proto == 2 {
			return lua.LFalse
		}
		return lua.LNil
	case reply.KindStatus:
		return field("ok", lua.LString(v.Text()))
	case reply.KindError:
		return errorTable(v.Text(), true)
	case reply.KindArray, reply.KindPush:
		return vm.toArray(v)
	}
	if vm.proto == 2 {
		return vm.flatten(v)
	}
	switch v.Kind() {
	case reply.KindMap:
		tb := tables.NewObject(v.Len() / 2)
		for i, s := 0, v.Slice(); i+1 < len(s); i += 2 {
			setRaw(tb, vm.toLua(s[i]), vm.toLua(s[i+1]))
		}
		return field("map", tb)
	case reply.KindSet:
		tb := tables.NewObject(v.Len())
		for _, e := range v.Slice() {
			setRaw(tb, vm.toLua(e), lua.LTrue)
		}
		return field("set", tb)
	case reply.KindDouble:
		return field("double", lua.LNumber(v.MustFloat()))
	case reply.KindBool:
		return lua.LBool(v.MustBool())
	case reply.KindBigNumber:
		return field("big_number", lua.LString(v.Text()))
	case reply.KindVerbatim:
		tb := tables.NewObject(2)
		tables.SetString(tb, "string", lua.LString(v.Text()))
		tables.SetString(tb, "format", lua.LString(v.Format()))
		return field("verbatim_string", tb)
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return vm.toLua(s[len(s)-1])
	}
	return lua.LNil
}

// flatten is toLua for the kinds that RESP2 does not have.
func (vm *VM) flatten(v reply.Value) lua.LValue {
	switch v.Kind() {
	case reply.KindMap, reply.KindSet:
		return vm.toArray(v)
	case reply.KindBool:
		return boxInt(v.MustInt())
	case reply.KindAttribute, reply.KindPushed:
		s := v.Slice()
		return vm.toLua(s[len(s)-1])
	}
	return vm.boxes.String(v.Text())
}

// fewScalars is how many elements a reply may have whose table is filled at once.
const fewScalars = 16

// toArray makes a table of an array. That of a reply with arrays in it, or with many elements, is filled when somebody looks: most scripts look into
// few of them, and some hand them on as they are.
func (vm *VM) toArray(v reply.Value) lua.LValue {
	list := v.Slice()
	if vm.proto == 2 {
		if len(list) > fewScalars || slices.ContainsFunc(list, isArray) {
			return tables.NewPending(v, vm.openFn)
		}
		return vm.fewElements(list)
	}
	room := tables.ArrayRoom(len(list))
	if slices.ContainsFunc(list, isNil) {
		room = 0 // holes: Lua's table grows one by one, and its length depends on how
	}
	tb := tables.New(room, 0)
	for i, e := range list {
		tables.SetInt(tb, i+1, vm.toLua(e))
	}
	return tb
}

// fewElements makes a table of an array of RESP2 without arrays in it.
func (vm *VM) fewElements(list []reply.Value) *lua.LTable {
	tb, values := tables.NewElements(len(list))
	vm.fill(values, list)
	return tb
}

// fill makes the values of an array of RESP2.
func (vm *VM) fill(values []lua.LValue, list []reply.Value) {
	for i := range list {
		if e := &list[i]; e.Kind() == reply.KindBulk {
			values[i] = vm.boxes.String(e.Text())
		} else {
			values[i] = vm.toLua(*e)
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

func isList(v reply.Value) bool { return v.Slice() != nil }

// deepest is how many arrays may lie in each other in a reply that is handed on as it is.
const deepest = 8

// same reports whether an array reply comes out of Lua as it went in.
func same(v reply.Value, depth int) bool {
	for _, e := range v.Slice() {
		switch e.Kind() {
		case reply.KindBulk, reply.KindNil:
		case reply.KindInt:
			if n := e.MustInt(); n > 1<<53 || n < -1<<53 {
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

func field(name string, v lua.LValue) *lua.LTable {
	tb := tables.NewObject(1)
	tables.SetString(tb, name, v)
	return tb
}

// countedField is what Redis sets in the table of an error that its statistics have counted already.
const countedField = "ignore_error_stats_update"

// errorTable is the table that stands for an error reply in a script.
func errorTable(line string, counted bool) *lua.LTable {
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

// result converts what a script returned to its reply. It spends the budget.
func (vm *VM) result(L *lua.LState, v lua.LValue) reply.Value {
	c := converter{vm: vm, L: L}
	return c.fromLua(v, outermost)
}

// converter converts values to replies. A table that occurs several times in others is converted,
// and counted, each time.
type converter struct {
	vm *VM
	L  *lua.LState
}

// fromLua converts one value. slots is how many values lie on the stack by now: Redis keeps there what it has not finished, one
// for each array around the value and three for each map or set.
func (c *converter) fromLua(v lua.LValue, slots int) reply.Value {
	if slots > maxSlots {
		return reply.Err("ERR reached lua stack limit")
	}
	switch v := v.(type) {
	case lua.LString:
		if len(v) > heldReply && slots > outermost {
			c.vm.budget.Hold(c.L, len(v)) // counted as it will be sent
		}
		return reply.Bulk(string(v))
	case lua.LNumber:
		return reply.Int(toInt(float64(v)))
	case lua.LBool:
		switch {
		case c.vm.proto > 2:
			return reply.Bool(bool(v))
		case bool(v):
			return reply.Int(1)
		}
	case *lua.LTable:
		return c.fromTable(c.vm.unproxy(v), slots)
	}
	return reply.Nil()
}

// list starts a list of n elements.
func (c *converter) list(n int) []reply.Value {
	c.vm.budget.Work(c.L, 1+n)
	c.vm.budget.Hold(c.L, heldReply+n*heldReplyElement)
	return make([]reply.Value, 0, n)
}

// toInt is C's conversion on amd64: what does not fit becomes the smallest integer.
func toInt(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

func (c *converter) fromTable(tb *lua.LTable, slots int) reply.Value {
	if v, ok := tables.Pending(tb); ok && c.vm.proto == 2 && slots < maxSlots-2*deepest && tb.Metatable == lua.LNil && same(v, deepest) {
		if slots > outermost {
			c.vm.budget.Work(c.L, v.Len())
			c.vm.budget.Hold(c.L, int(v.WireSize()))
		}
		return reply.Array(v.Slice()...)
	}
	if tables.HasHash(tb) {
		if v, ok := c.fromSpecial(tb, slots); ok {
			return v
		}
	}
	array := tables.Array(tb)
	n := len(array)
	if n > 0 && array[n-1] == lua.LNil {
		for n = 0; array[n] != lua.LNil; n++ {
		}
	}
	out := c.list(n)
	for _, e := range array {
		if e == lua.LNil {
			return reply.Array(out...)
		}
		out = append(out, c.fromLua(e, slots+1))
	}
	for i := n + 1; ; i++ { // those that are in the node part
		e := tables.GetInt(tb, i)
		if e == lua.LNil {
			return reply.Array(out...)
		}
		c.vm.budget.Work(c.L, 1)
		c.vm.budget.Hold(c.L, 2*heldReplyElement)
		out = append(out, c.fromLua(e, slots+1))
	}
}

// fromSpecial reads the tables that stand for one value of another kind.
func (c *converter) fromSpecial(tb *lua.LTable, slots int) (reply.Value, bool) {
	if s, ok := tb.RawGetString("err").(lua.LString); ok {
		v := reply.Err(oneLine(cString(string(s))))
		if c.vm.errorField(tb, countedField) == lua.LTrue {
			v = reply.Told(v)
		}
		if slots > outermost {
			c.vm.host.InnerError(v)
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
		out := c.list(2 * tables.Size(m))
		c.vm.eachEntry(c.L, m, func(e tables.Entry) bool {
			out = append(out, c.fromLua(e.Key, slots+4), c.fromLua(e.Value, slots+3))
			return true
		})
		return reply.Map(out...), true
	}
	if m, ok := tb.RawGetString("set").(*lua.LTable); ok {
		out := c.list(tables.Size(m))
		c.vm.eachEntry(c.L, m, func(e tables.Entry) bool {
			out = append(out, c.fromLua(e.Key, slots+3))
			return true
		})
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

// eachEntry calls f for the entries of a table, in the order of pairs, until f returns false.
func (vm *VM) eachEntry(L *lua.LState, tb *lua.LTable, f func(tables.Entry) bool) {
	tb = vm.visible(tb)
	n := tables.Size(tb)
	vm.budget.Work(L, n)
	cost := tables.HashSize(tb) * tables.HashCost
	vm.budget.Hold(L, cost)
	tables.Each(tb, f)
	vm.budget.Free(cost)
}
