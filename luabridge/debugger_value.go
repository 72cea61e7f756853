package luabridge

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/inspect"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Value is a value of a script. The zero value is nil.
type Value struct {
	v  lua.LValue
	vm *VM // the owner of the value; nil for nil
}

func (vm *VM) value(v lua.LValue) Value {
	if v == nil || v == lua.LNil {
		return Value{}
	}
	return Value{v, vm}
}

// raw returns the value as gopher-lua has it.
func (v Value) raw() lua.LValue {
	if v.v == nil {
		return lua.LNil
	}
	return v.v
}

// Text returns a string of the script.
func (s *Stack) Text(text string) Value { return s.vm.value(lua.LString(text)) }

// Number returns a number of the script.
func (s *Stack) Number(f float64) Value { return s.vm.value(lua.LNumber(f)) }

// Bool returns a boolean of the script.
func (s *Stack) Bool(b bool) Value { return s.vm.value(lua.LBool(b)) }

// Kind is the type of a value.
type Kind int

// The kinds of values.
const (
	NilKind Kind = iota
	BooleanKind
	NumberKind
	StringKind
	TableKind
	FunctionKind
	ThreadKind
	UserdataKind
)

// kinds maps kinds to gopher-lua's types.
var kinds = [...]lua.LValueType{lua.LTNil, lua.LTBool, lua.LTNumber, lua.LTString, lua.LTTable, lua.LTFunction, lua.LTThread,
	lua.LTUserData}

// String returns the kind as type() names it.
func (k Kind) String() string { return kinds[k].String() }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	for k, t := range kinds {
		if v.raw().Type() == t {
			return Kind(k)
		}
	}
	return UserdataKind
}

// Bool returns the value of a boolean, or false.
func (v Value) Bool() bool { return v.v == lua.LTrue }

// Number returns the value of a number, or 0.
func (v Value) Number() float64 {
	n, _ := v.v.(lua.LNumber)
	return float64(n)
}

// Text returns the bytes of a string, or a number as tostring writes it; "" for other values.
func (v Value) Text() string {
	text, _ := args.Text(v.raw())
	return text
}

// JSON returns the value as one line of JSON; nil is null and an empty table is []. It returns an
// error if the value holds a function, a thread, userdata (cjson.null is one), NaN, an infinity, a
// table inside itself, a table with mixed keys or gaps, or a string that is not UTF-8; and if it
// has more than 32 levels of tables, 65,536 keys and values or 1 MiB of strings.
func (v Value) JSON() (string, error) {
	if v.v == nil {
		return "null", nil
	}
	return inspect.JSON(v.v, globals.Shown)
}

// ID identifies a table, function, thread or userdata. It is the number that tostring shows, and 0
// for other values.
func (v Value) ID() uintptr {
	switch v := v.v.(type) {
	case *lua.LTable:
		return uintptr(unsafe.Pointer(v))
	case *lua.LFunction:
		return uintptr(unsafe.Pointer(v))
	case *lua.LState:
		return uintptr(unsafe.Pointer(v))
	case *lua.LUserData:
		return uintptr(unsafe.Pointer(v))
	}
	return 0
}

// Len returns the length of a table or string as # does without metamethods; 0 for other values.
func (v Value) Len() int {
	switch v := v.v.(type) {
	case lua.LString:
		return len(v)
	case *lua.LTable:
		return tables.Len(v)
	}
	return 0
}

// Field is an entry of a table.
type Field struct{ Key, Value Value }

// Fields returns the entries of a table in the order of next, without metamethods. Of KEYS, ARGV,
// _G and the libraries it returns what a script would see; nil if the value is not a table.
func (v Value) Fields() []Field {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return nil
	}
	entries := tables.Entries(globals.Shown(tb), nil)
	fields := make([]Field, 0, len(entries))
	for _, e := range entries {
		if !globals.IsAlias(e.Key) {
			fields = append(fields, Field{v.vm.value(e.Key), v.vm.value(e.Value)})
		}
	}
	return fields
}

// Field returns the value of a key of a table, without metamethods. It is nil if there is none.
func (v Value) Field(key Value) Value {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return Value{}
	}
	return v.vm.value(tables.Get(globals.Shown(tb), key.raw()))
}

// Metatable returns the metatable of a table or userdata. It is nil if a script could not see one.
func (v Value) Metatable() Value {
	switch o := v.v.(type) {
	case *lua.LTable:
		if globals.Real(o) != o {
			return Value{}
		}
		if mt, ok := o.Metatable.(*lua.LTable); ok {
			return v.vm.value(globals.StandIn(mt))
		}
	case *lua.LUserData:
		return v.vm.value(o.Metatable)
	}
	return Value{}
}

// ReadOnly reports whether the value is a table that scripts cannot change: _G or a library.
func (v Value) ReadOnly() bool {
	tb, ok := v.v.(*lua.LTable)
	return ok && globals.Real(tb) != tb
}

// SetField assigns to a field of a table, without metamethods. It does nothing if the table is
// read-only or the key is nil or NaN.
func (v Value) SetField(key, value Value) {
	tb, ok := v.v.(*lua.LTable)
	if n := key.Number(); !ok || v.ReadOnly() || key.v == nil || n != n {
		return
	}
	tables.Set(tb, key.raw(), value.raw())
}
