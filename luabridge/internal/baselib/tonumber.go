package baselib

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
)

// toNumber is tonumber(value [, base]).
func (b *Library) toNumber(L *lua.LState) int {
	base := b.OptionalInt(L, 2, 10)
	if base == 10 {
		b.Any(L, 1)
		switch v := L.Get(1).(type) {
		case lua.LNumber:
			L.Push(v)
			return 1
		case lua.LString:
			if f, ok := numbers.Parse(string(v)); ok {
				L.Push(boxes.Float(f))
				return 1
			}
		}
		L.Push(lua.LNil)
		return 1
	}
	s := b.Text(L, 1)
	if base < 2 || base > 36 {
		return b.Bad(L, 2, "base out of range")
	}
	if f, ok := parseBase(s, base); ok {
		L.Push(boxes.Float(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// parseBase is C's strtoul for a whole string. A minus sign wraps around; too large a number
// saturates.
func parseBase(s string, base int) (float64, bool) {
	s = strings.Trim(args.CString(s), " \t\n\v\f\r")
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") {
		s = s[2:]
	}
	if s == "" {
		return 0, false
	}
	n, over := uint64(0), false
	for i := 0; i < len(s); i++ {
		d := digit(s[i])
		if d >= base {
			return 0, false
		}
		if n > (math.MaxUint64-uint64(d))/uint64(base) {
			over = true
		}
		n = n*uint64(base) + uint64(d)
	}
	if over {
		return float64(math.MaxUint64), true
	}
	if negative {
		n = -n
	}
	return float64(n), true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}
