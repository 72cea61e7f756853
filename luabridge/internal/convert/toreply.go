package convert

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// maxSlots is the number of values that may be on the stack when Redis converts one: it needs room
// for four more below Lua's limit.
const maxSlots = 8000 - 4

// outermost is the number of values on the stack when the conversion begins.
const outermost = 2

// ToReply converts what a script returned to its reply. It spends the budget.
func (c *Converter) ToReply(L *lua.LState, v lua.LValue) reply.Value {
	r := replier{Converter: c, L: L}
	return r.value(v, outermost)
}

// replier converts values to a reply. A table that occurs several times in others is converted,
// and counted, each time.
type replier struct {
	*Converter
	L *lua.LState
}

// value converts a value. slots is the number of values on Redis's stack, where it keeps what it
// has not finished: one for each array around the value, and three for each map or set.
func (r *replier) value(v lua.LValue, slots int) reply.Value {
	if slots > maxSlots {
		return reply.Err("ERR reached lua stack limit")
	}
	switch v := v.(type) {
	case lua.LString:
		if len(v) > heldReply && slots > outermost {
			r.Budget.Hold(r.L, len(v)) // counted as it will be sent
		}
		return reply.Bulk(string(v))
	case lua.LNumber:
		return reply.Int(args.Int64(float64(v)))
	case lua.LBool:
		switch {
		case r.Proto > 2:
			return reply.Bool(bool(v))
		case bool(v):
			return reply.Int(1)
		}
	case *lua.LTable:
		return r.table(r.Real(v), slots)
	}
	return reply.Nil()
}

// list returns an empty list for n elements.
func (r *replier) list(n int) []reply.Value {
	r.Budget.Work(r.L, 1+n)
	r.Budget.Hold(r.L, heldReply+n*heldReplyElement)
	return make([]reply.Value, 0, n)
}

func (r *replier) table(tb *lua.LTable, slots int) reply.Value {
	if v, ok := tables.Pending(tb); ok && r.Proto == 2 && slots < maxSlots-2*deepest && tb.Metatable == lua.LNil && same(v, deepest) {
		if slots > outermost {
			r.Budget.Work(r.L, v.Len())
			r.Budget.Hold(r.L, int(v.WireSize()))
		}
		return reply.Array(v.Slice()...)
	}
	if tables.HasHash(tb) {
		if v, ok := r.special(tb, slots); ok {
			return v
		}
	}
	array := tables.Array(tb)
	n := len(array)
	if n > 0 && array[n-1] == lua.LNil {
		for n = 0; array[n] != lua.LNil; n++ {
		}
	}
	out := r.list(n)
	for _, e := range array {
		if e == lua.LNil {
			return reply.Array(out...)
		}
		out = append(out, r.value(e, slots+1))
	}
	for i := n + 1; ; i++ { // elements in the node part
		e := tables.GetInt(tb, i)
		if e == lua.LNil {
			return reply.Array(out...)
		}
		r.Budget.Work(r.L, 1)
		r.Budget.Hold(r.L, 2*heldReplyElement)
		out = append(out, r.value(e, slots+1))
	}
}

// special converts tables that represent one value of another kind.
func (r *replier) special(tb *lua.LTable, slots int) (reply.Value, bool) {
	if s, ok := tb.RawGetString("err").(lua.LString); ok {
		v := reply.Err(OneLine(args.CString(string(s))))
		if r.ErrorField(tb, CountedField) == lua.LTrue {
			v = reply.Counted(v)
		}
		if slots > outermost {
			r.InnerError(v)
		}
		return v, true
	}
	if s, ok := tb.RawGetString("ok").(lua.LString); ok {
		return reply.Status(OneLine(args.CString(string(s)))), true
	}
	if n, ok := tb.RawGetString("double").(lua.LNumber); ok {
		if r.ShortNumbers {
			return reply.Short(float64(n)), true
		}
		return reply.Double(float64(n)), true
	}
	if m, ok := tb.RawGetString("map").(*lua.LTable); ok {
		out := r.list(2 * tables.Size(m))
		r.Each(r.L, m, func(e tables.Entry) bool {
			out = append(out, r.value(e.Key, slots+4), r.value(e.Value, slots+3))
			return true
		})
		return reply.Map(out...), true
	}
	if m, ok := tb.RawGetString("set").(*lua.LTable); ok {
		out := r.list(tables.Size(m))
		r.Each(r.L, m, func(e tables.Entry) bool {
			out = append(out, r.value(e.Key, slots+3))
			return true
		})
		return reply.Set(out...), true
	}
	if s, ok := tb.RawGetString("big_number").(lua.LString); ok {
		text := string(s)
		if r.BigNumbersEnd {
			text = args.CString(text)
		}
		return reply.BigNumber(OneLine(text)), true
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

// OneLine replaces the bytes that would end an error line with spaces.
func OneLine(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '\r' || s[i] == '\n' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] == '\r' || b[i] == '\n' {
					b[i] = ' '
				}
			}
			return string(b)
		}
	}
	return s
}
