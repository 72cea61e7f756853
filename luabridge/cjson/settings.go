package cjson

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/numbers"
)

func tooMany(L *lua.LState, most int, function string) {
	if L.GetTop() > most {
		badArgument(L, most+1, function, "found too many arguments")
	}
}

// integer sets *to from argument n, if it is there, and pushes the setting.
func integer(L *lua.LState, n int, function string, to *int, least, most int) {
	if v := L.Get(n); v != lua.LNil {
		f, ok := 0.0, false
		switch v := v.(type) {
		case lua.LNumber:
			f, ok = float64(v), true
		case lua.LString:
			f, ok = numbers.Parse(string(v))
		}
		if !ok {
			badArgument(L, n, function, "number expected, got "+v.Type().String())
		}
		if f = math.Trunc(f); !(f >= float64(least) && f <= float64(most)) {
			// lua-cjson names the first argument whichever it was
			badArgument(L, 1, function, fmt.Sprintf("expected integer between %d and %d", least, most))
		}
		*to = int(f)
	}
	L.Push(lua.LNumber(*to))
}

// option sets *to from argument n: a boolean (false is 0, true is yes) or a word; it pushes the setting.
func option(L *lua.LState, n int, function string, to *int, words []string, yes int) {
	switch v := L.Get(n).(type) {
	case *lua.LNilType:
	case lua.LBool:
		*to = 0
		if v {
			*to = yes
		}
	case lua.LString, lua.LNumber:
		text := lua.LVAsString(v)
		found := -1
		for i, w := range words {
			if w == text {
				found = i
			}
		}
		if found < 0 {
			badArgument(L, n, function, "invalid option '"+text+"'")
		}
		*to = found
	default:
		badArgument(L, n, function, "string expected, got "+v.Type().String())
	}
	if *to == 0 || *to == yes {
		L.Push(lua.LBool(*to != 0))
	} else {
		L.Push(lua.LString(words[*to]))
	}
}

func boolean(L *lua.LState, n int, function string, to *bool) {
	i := 0
	if *to {
		i = 1
	}
	option(L, n, function, &i, []string{"off", "on"}, 1)
	*to = i == 1
}

func (c *Codec) integerSetting(function string, to *int, least, most int) lua.LGFunction {
	return func(L *lua.LState) int {
		tooMany(L, 1, function)
		integer(L, 1, function, to, least, most)
		return 1
	}
}

func (c *Codec) boolSetting(function string, to *bool) lua.LGFunction {
	return func(L *lua.LState) int {
		tooMany(L, 1, function)
		boolean(L, 1, function, to)
		return 1
	}
}

func (c *Codec) setEncodeInvalid(L *lua.LState) int {
	const function = "encode_invalid_numbers"
	tooMany(L, 1, function)
	option(L, 1, function, &c.encodeInvalid, []string{"off", "on", "null"}, 1)
	return 1
}

func (c *Codec) setSparse(L *lua.LState) int {
	const function = "encode_sparse_array"
	tooMany(L, 3, function)
	for L.GetTop() < 3 { // results are pushed behind the arguments
		L.Push(lua.LNil)
	}
	boolean(L, 1, function, &c.convertSparse)
	integer(L, 2, function, &c.sparseRatio, 0, math.MaxInt32)
	integer(L, 3, function, &c.sparseSafe, 0, math.MaxInt32)
	return 3
}
