// Package args reads the arguments of library functions as Lua's C interface does, and raises the
// same errors.
package args

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// ReadOnly is the error of changing a table that scripts cannot change.
const ReadOnly = "Attempt to modify a readonly table"

// MaxResults is the number of values that a library function of Lua may have on the stack.
const MaxResults = 8000

// Host is what a library needs of the program around it: it raises errors, limits the work and
// resolves stand-ins of tables. The zero value works without limits; its errors call every function
// '?'.
type Host struct {
	// Fail raises a message with the position of the caller of the running function. It does not
	// return. Optional.
	Fail func(L *lua.LState, format string, args ...any) int
	// BadArgument raises the error that argument n of the running function is wrong. It does not
	// return. Optional.
	BadArgument func(L *lua.LState, n int, problem string) int
	// Raise raises an error value as it is. It does not return. Optional.
	Raise func(L *lua.LState, v lua.LValue)
	// Real returns the table behind a read-only stand-in, and other tables as they are. Optional.
	Real func(*lua.LTable) *lua.LTable
	// Budget limits the functions. Optional.
	Budget *budget.Budget
	// Hashing is how the tables of the functions hash strings.
	Hashing tables.Hashing
}

// TooLarge raises the error of a string that would be too long.
func (h *Host) TooLarge(L *lua.LState) int { return h.Error(L, budget.TooLarge) }

// Error raises a message with the caller's position.
func (h *Host) Error(L *lua.LState, format string, args ...any) int {
	if h.Fail != nil {
		return h.Fail(L, format, args...)
	}
	L.Error(lua.LString(Where(L, 1)+fmt.Sprintf(format, args...)), 0)
	return 0
}

// Throw raises an error value as it is.
func (h *Host) Throw(L *lua.LState, v lua.LValue) {
	if h.Raise != nil {
		h.Raise(L, v)
	}
	L.Error(v, 0)
}

// Where returns the position of the function at a level of the stack (0: the running one) as error
// messages begin with it, or "" if that is not a Lua function.
func Where(L *lua.LState, level int) string {
	dbg, ok := L.GetStack(level)
	if !ok {
		return ""
	}
	if _, err := L.GetInfo("Sl", dbg, lua.LNil); err != nil || dbg.CurrentLine <= 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", dbg.Source, dbg.CurrentLine)
}

// Bad raises the error that argument n is wrong.
func (h *Host) Bad(L *lua.LState, n int, problem string) int {
	if h.BadArgument != nil {
		return h.BadArgument(L, n, problem)
	}
	return h.Error(L, "bad argument #%d to '?' (%s)", n, problem)
}

// Type raises the error that argument n has the wrong type.
func (h *Host) Type(L *lua.LState, n int, want string) int {
	got := "no value"
	if n <= L.GetTop() {
		got = L.Get(n).Type().String()
	}
	return h.Bad(L, n, want+" expected, got "+got)
}

// Number reads v as a number; strings are converted.
func Number(v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return numbers.Parse(string(v))
	}
	return 0, false
}

// Text reads v as a string; numbers are converted.
func Text(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numbers.Text(float64(v)), true
	}
	return "", false
}

// Number reads argument n as a number.
func (h *Host) Number(L *lua.LState, n int) float64 {
	f, ok := Number(L.Get(n))
	if !ok {
		h.Type(L, n, "number")
	}
	return f
}

// Text reads argument n as a string.
func (h *Host) Text(L *lua.LState, n int) string {
	s, ok := Text(L.Get(n))
	if !ok {
		h.Type(L, n, "string")
	}
	return s
}

// Int reads argument n as C's int: it drops the fraction, and the bits above the lower 32.
func (h *Host) Int(L *lua.LState, n int) int { return int(int32(Int64(h.Number(L, n)))) }

// OptionalInt is Int with a default for nil and a missing argument.
func (h *Host) OptionalInt(L *lua.LState, n, otherwise int) int {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return h.Int(L, n)
}

// OptionalText is Text with a default for nil and a missing argument.
func (h *Host) OptionalText(L *lua.LState, n int, otherwise string) string {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return h.Text(L, n)
}

// Table reads argument n as a table. It returns the table behind a read-only stand-in.
func (h *Host) Table(L *lua.LState, n int) *lua.LTable {
	tb, ok := L.Get(n).(*lua.LTable)
	if !ok {
		h.Type(L, n, "table")
	}
	if h.Real != nil {
		return h.Real(tb)
	}
	return tb
}

// Writable raises an error if argument 1 is a read-only stand-in of tb.
func (h *Host) Writable(L *lua.LState, tb *lua.LTable) {
	if L.Get(1) != tb {
		h.Throw(L, lua.LString(ReadOnly))
	}
}

// Function reads argument n as a function.
func (h *Host) Function(L *lua.LState, n int) *lua.LFunction {
	fn, ok := L.Get(n).(*lua.LFunction)
	if !ok {
		h.Type(L, n, "function")
	}
	return fn
}

// Any raises an error if argument n is missing. The argument may be nil.
func (h *Host) Any(L *lua.LState, n int) {
	if L.GetTop() < n {
		h.Bad(L, n, "value expected")
	}
}

// Metamethod returns a metamethod of a table or userdata, or nil. Strings have none but __index.
func Metamethod(v lua.LValue, event string) lua.LValue {
	var mt lua.LValue
	switch v := v.(type) {
	case *lua.LTable:
		mt = v.Metatable
	case *lua.LUserData:
		mt = v.Metatable
	}
	if tb, ok := mt.(*lua.LTable); ok {
		return tb.RawGetString(event)
	}
	return lua.LNil
}

// NotCallable returns Lua's error for a call of v from C, or "" if v can be called.
func NotCallable(v lua.LValue) string {
	if v.Type() == lua.LTFunction || Metamethod(v, "__call").Type() == lua.LTFunction {
		return ""
	}
	return "attempt to call a " + v.Type().String() + " value"
}

// ToString returns what tostring returns for a value without a metamethod.
func ToString(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numbers.Text(float64(v))
	case lua.LBool:
		if v {
			return "true"
		}
		return "false"
	case *lua.LNilType:
		return "nil"
	case *lua.LUserData:
		if v.Value == nil {
			return "userdata: (nil)" // a light userdata of 0, as cjson.null
		}
		return fmt.Sprintf("userdata: %p", v)
	}
	return v.String()
}

// CString returns the part of a string that C sees: it ends at the first NUL.
func CString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// Int64 converts as C does on amd64: what does not fit becomes the smallest integer.
func Int64(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// Uint64 converts to an unsigned integer as C does on amd64: negative numbers wrap around, nan
// becomes 1<<63, and what is too large becomes 0.
func Uint64(f float64) uint64 {
	if f >= 1<<63 {
		return uint64(Int64(f-1<<63)) ^ 1<<63
	}
	return uint64(Int64(f))
}
