package luabridge

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Value is a value of a script. The zero value is nil.
type Value struct {
	v  lua.LValue
	vm *VM // whose value it is; nil for nil
}

func (vm *VM) value(v lua.LValue) Value {
	if v == nil || v == lua.LNil {
		return Value{}
	}
	return Value{v, vm}
}

// raw is the value as gopher-lua has it.
func (v Value) raw() lua.LValue {
	if v.v == nil {
		return lua.LNil
	}
	return v.v
}

// Text makes a string of a script.
func (s *Stack) Text(text string) Value { return s.vm.value(lua.LString(text)) }

// Number makes a number of a script.
func (s *Stack) Number(f float64) Value { return s.vm.value(lua.LNumber(f)) }

// Bool makes a boolean of a script.
func (s *Stack) Bool(b bool) Value { return s.vm.value(lua.LBool(b)) }

// Kind is what type() says of a value.
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

// kinds are the types that gopher-lua has, by kind.
var kinds = [...]lua.LValueType{lua.LTNil, lua.LTBool, lua.LTNumber, lua.LTString, lua.LTTable, lua.LTFunction, lua.LTThread, lua.LTUserData}

// String is the kind as type() names it.
func (k Kind) String() string { return kinds[k].String() }

// Kind is the kind of the value.
func (v Value) Kind() Kind {
	for k, t := range kinds {
		if v.raw().Type() == t {
			return Kind(k)
		}
	}
	return UserdataKind
}

// Bool is the value of a boolean.
func (v Value) Bool() bool { return v.v == lua.LTrue }

// Number is the value of a number.
func (v Value) Number() float64 {
	n, _ := v.v.(lua.LNumber)
	return float64(n)
}

// Text is a string's bytes, and a number as tostring gives it; "" for others.
func (v Value) Text() string {
	text, _ := str(v.raw())
	return text
}

// ID tells tables, functions, threads and userdata apart; 0 for others. It is the number that tostring shows.
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

// Len is the length of a table or string, as # gives it without metamethods.
func (v Value) Len() int {
	switch v := v.v.(type) {
	case lua.LString:
		return len(v)
	case *lua.LTable:
		return tables.Len(v)
	}
	return 0
}

// Field is one entry of a table.
type Field struct{ Key, Value Value }

// Fields are the entries of a table, in the order of next, without metamethods. Of KEYS, ARGV, _G and the libraries it shows what a script would see there.
func (v Value) Fields() []Field {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return nil
	}
	entries := tables.Entries(v.vm.visible(tb), nil)
	fields := make([]Field, 0, len(entries))
	for _, e := range entries {
		if !hiddenName(e.Key) {
			fields = append(fields, Field{v.vm.value(e.Key), v.vm.value(e.Value)})
		}
	}
	return fields
}

// Field is the value of a key of a table, without metamethods; nil where there is none.
func (v Value) Field(key Value) Value {
	tb, ok := v.v.(*lua.LTable)
	if !ok {
		return Value{}
	}
	return v.vm.value(tables.Get(v.vm.visible(tb), key.raw()))
}

// Metatable is the metatable of a table or userdata, nil where there is none that a script could see.
func (v Value) Metatable() Value {
	switch o := v.v.(type) {
	case *lua.LTable:
		if v.vm.unproxy(o) != o {
			return Value{}
		}
		return v.vm.value(o.Metatable)
	case *lua.LUserData:
		return v.vm.value(o.Metatable)
	}
	return Value{}
}

// ReadOnly reports whether the value is a table that scripts cannot change: _G and the libraries.
func (v Value) ReadOnly() bool {
	tb, ok := v.v.(*lua.LTable)
	return ok && v.vm.unproxy(tb) != tb
}

// SetField assigns to a field of a table, without metamethods. Tables that are read-only, and keys that are nil or not a number, stay as they are.
func (v Value) SetField(key, value Value) {
	tb, ok := v.v.(*lua.LTable)
	if n := key.Number(); !ok || v.ReadOnly() || key.v == nil || n != n {
		return
	}
	tables.Set(tb, key.raw(), value.raw())
}
