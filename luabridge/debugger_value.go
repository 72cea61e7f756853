package luabridge

import lua "github.com/yuin/gopher-lua"

// Value is a value of a script.
type Value struct{ v lua.LValue }

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

// String is the kind as type() names it.
func (k Kind) String() string { panic(errUnbuilt) }

// Kind is the kind of the value.
func (v Value) Kind() Kind { panic(errUnbuilt) }

// Bool is the value of a boolean.
func (v Value) Bool() bool { panic(errUnbuilt) }

// Number is the value of a number.
func (v Value) Number() float64 { panic(errUnbuilt) }

// Text is a string's bytes, and a number as tostring gives it; "" for others.
func (v Value) Text() string { panic(errUnbuilt) }

// ID tells tables, functions, threads and userdata apart; 0 for others.
func (v Value) ID() uintptr { panic(errUnbuilt) }

// Len is the length of a table or string, as # gives it without metamethods.
func (v Value) Len() int { panic(errUnbuilt) }

// Field is one entry of a table.
type Field struct{ Key, Value Value }

// Fields are the entries of a table, in the order of next, without metamethods. Of KEYS, ARGV, _G and the libraries it shows what a script would see there.
func (v Value) Fields() []Field { panic(errUnbuilt) }

// SetField assigns to a field of a table, without metamethods.
func (v Value) SetField(key, value Value) { panic(errUnbuilt) }
