// Package args reads the arguments of library functions as Lua's C interface does, and words its complaints.
package args

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
)

// Host raises the errors of a library. The zero value raises them without knowing how the function was
// called: it is '?' then.
type Host struct {
	// Fail and BadArgument, when set, raise a message with the caller's position, and the complaint about
	// argument n of the function that runs. They do not return.
	Fail        func(L *lua.LState, format string, args ...any) int
	BadArgument func(L *lua.LState, n int, problem string) int
	// Budget limits the functions; nil: no limits.
	Budget *budget.Budget
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

// Where is the position of the function at a level of the stack (0: the running one) as error messages begin with it; "" when
// it is no Lua function.
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

// Bad raises a complaint about argument n.
func (h *Host) Bad(L *lua.LState, n int, problem string) int {
	if h.BadArgument != nil {
		return h.BadArgument(L, n, problem)
	}
	return h.Error(L, "bad argument #%d to '?' (%s)", n, problem)
}

// Type raises the complaint that argument n has the wrong type.
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

// Int64 is C's conversion on amd64: what does not fit becomes the smallest integer.
func Int64(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// Uint64 is C's conversion to an unsigned integer on amd64: negative numbers wrap around, nan is 1<<63, and
// what is too large is 0.
func Uint64(f float64) uint64 {
	if f >= 1<<63 {
		return uint64(Int64(f-1<<63)) ^ 1<<63
	}
	return uint64(Int64(f))
}
