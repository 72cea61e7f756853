package cjson

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

func (c *Codec) tooMany(L *lua.LState, most int) {
	if L.GetTop() > most {
		c.Host.Bad(L, most+1, "found too many arguments")
	}
}

// integer sets *to from argument n, if it is there, and pushes the setting.
func (c *Codec) integer(L *lua.LState, n int, to *int, least, most int) {
	if v := L.Get(n); v != lua.LNil {
		f, ok := args.Number(v)
		if !ok {
			c.Host.Type(L, n, "number")
		}
		i := cInt(f)
		if i < least || i > most {
			// lua-cjson always names the first argument
			c.Host.Bad(L, 1, fmt.Sprintf("expected integer between %d and %d", least, most))
		}
		*to = i
	}
	L.Push(lua.LNumber(*to))
}

// cInt returns a number as lua-cjson keeps it: the lower 32 bits of the 64-bit integer.
func cInt(f float64) int {
	if !(f > -1<<63 && f < 1<<63) {
		return 0
	}
	return int(int32(int64(f)))
}

// option sets *to from argument n: a boolean (false is 0, true is yes) or a word. It pushes the
// setting.
func (c *Codec) option(L *lua.LState, n int, to *int, words []string, yes int) {
	switch v := L.Get(n).(type) {
	case *lua.LNilType:
	case lua.LBool:
		*to = 0
		if v {
			*to = yes
		}
	case lua.LString, lua.LNumber:
		text, _ := args.Text(v)
		text, _, _ = strings.Cut(text, "\x00") // C ends a text at a NUL
		found := -1
		for i, w := range words {
			if w == text {
				found = i
			}
		}
		if found < 0 {
			c.Host.Bad(L, n, "invalid option '"+text+"'")
		}
		*to = found
	default:
		c.Host.Type(L, n, "string")
	}
	if *to == 0 || *to == yes {
		L.Push(lua.LBool(*to != 0))
	} else {
		L.Push(lua.LString(words[*to]))
	}
}

func (c *Codec) boolean(L *lua.LState, n int, to *bool) {
	i := 0
	if *to {
		i = 1
	}
	c.option(L, n, &i, []string{"off", "on"}, 1)
	*to = i == 1
}

func integerSetting(of func(*settings) *int, least, most int) func(c *Codec, L *lua.LState) int {
	return func(c *Codec, L *lua.LState) int {
		c.tooMany(L, 1)
		c.integer(L, 1, of(&c.settings), least, most)
		return 1
	}
}

func boolSetting(of func(*settings) *bool) func(c *Codec, L *lua.LState) int {
	return func(c *Codec, L *lua.LState) int {
		c.tooMany(L, 1)
		c.boolean(L, 1, of(&c.settings))
		return 1
	}
}

func (c *Codec) setEncodeInvalid(L *lua.LState) int {
	c.tooMany(L, 1)
	c.option(L, 1, &c.encodeInvalid, []string{"off", "on", "null"}, 1)
	return 1
}

func (c *Codec) setSparse(L *lua.LState) int {
	c.tooMany(L, 3)
	for L.GetTop() < 3 { // results are pushed after the arguments
		L.Push(lua.LNil)
	}
	c.boolean(L, 1, &c.convertSparse)
	c.integer(L, 2, &c.sparseRatio, 0, math.MaxInt32)
	c.integer(L, 3, &c.sparseSafe, 0, math.MaxInt32)
	return 3
}

// Settings are the settings of a [Codec] that scripts can change.
type Settings struct{ s settings }

// Settings are the present settings.
func (c *Codec) Settings() Settings { return Settings{c.settings} }

// SetSettings restores settings, of this codec or of another.
func (c *Codec) SetSettings(s Settings) { c.settings = s.s }
