package luabridge

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/inspect"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// String returns a string.
func (t *Tool) String(s string) Value { return t.vm.value(lua.LString(s)) }

// Number returns a number.
func (t *Tool) Number(f float64) Value { return t.vm.value(lua.LNumber(f)) }

// Int returns an integer as a number.
func (t *Tool) Int(i int) Value { return t.vm.value(boxes.Int(i)) }

// Bool returns a boolean.
func (t *Tool) Bool(b bool) Value { return t.vm.value(lua.LBool(b)) }

// Table returns a new table with elements.
func (t *Tool) Table(elements ...Value) Value {
	tb := t.vm.lib.Hashing.Use(tables.New(len(elements), 0))
	for i, v := range elements {
		tables.SetInt(tb, i+1, v.raw())
	}
	return t.vm.value(tb)
}

// Globals returns the table of the globals.
func (t *Tool) Globals() Value { return t.vm.value(t.vm.globals.Env) }

// Get returns the field of a table with a name, without metamethods; nil if there is none.
func (v Value) Get(name string) Value {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return Value{}
	}
	return v.vm.value(tables.Get(globals.Shown(tb), lua.LString(name)))
}

// Set assigns to the field of a table with a name; see [Value.SetField].
func (v Value) Set(name string, value Value) { v.SetField(Value{lua.LString(name), v.vm}, value) }

// Elements returns the elements 1 to n of a table, where n is its length.
func (v Value) Elements() []Value {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return nil
	}
	tb = globals.Shown(tb)
	list := make([]Value, tables.Len(tb))
	for i := range list {
		list[i] = v.vm.value(tables.GetInt(tb, i+1))
	}
	return list
}

// SetMetatable sets the metatable of a table that a [Tool] has made; nil: none.
func (v Value) SetMetatable(mt Value) {
	if tb, ok := v.v.(*lua.LTable); ok {
		tb.Metatable = mt.raw()
	}
}

// Metamethod returns a field of the value's metatable; nil if there is none. It works for strings
// too.
func (v Value) Metamethod(event string) Value {
	var mt lua.LValue = lua.LNil
	switch o := v.v.(type) {
	case *lua.LTable:
		mt = o.Metatable
	case lua.LString:
		mt = v.vm.L.GetMetatable(o)
	}
	tb, ok := mt.(*lua.LTable)
	if !ok {
		return Value{}
	}
	return v.vm.value(tables.Get(tb, lua.LString(event)))
}

// Truth reports whether a condition holds for the value: it is neither nil nor false.
func (v Value) Truth() bool { return v.v != nil && v.v != lua.LFalse }

// word returns a string, or a number as redis.call passes it.
func word(v Value) (string, bool) {
	switch v := v.v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return string(numbers.Append(nil, float64(v), 17)), true
	}
	return "", false
}

// DecodeJSON returns the value of a JSON text as gopher-json reads it: arrays and objects are
// tables, null is nil, and an array leaves nulls out.
func (t *Tool) DecodeJSON(text string) (Value, error) {
	v, err := inspect.Decode(t.thread(), text)
	if err != nil {
		return Value{}, err
	}
	return t.vm.value(v), nil
}

// cutKind cuts a name such as "global 'f'" into its kind and the name with its quotes.
func cutKind(text string) (kind, name string) {
	kind, name, _ = strings.Cut(text, " ")
	return kind, name
}
