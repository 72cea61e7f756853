package luac_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/syntax"
)

func TestErrorsNameLineAndToken(t *testing.T) {
	for source, want := range map[string]string{
		"x =":                           "c:1: unexpected symbol near '<eof>'",
		"\n\nfor":                       "c:3: '<name>' expected near '<eof>'",
		"if x then\n\n":                 "c:3: 'end' expected (to close 'if' at line 1) near '<eof>'",
		"goto x":                        "c:1: '=' expected near 'x'",
		"return 'a\nb'":                 "c:1: unfinished string near ''a'",
		"return 1..2":                   "c:1: malformed number near '1..2'",
		"break":                         "c:1: no loop to break near '<eof>'",
		"\x00":                          "c:1: unexpected symbol",
		"f\n(1)":                        "c:2: ambiguous syntax (function call x new statement) near '('",
		`return '\300'`:                 `c:1: escape sequence too large near '''`,
		"'x':upper()":                   "c:1: unexpected symbol near ''x''",
		"return function() x = ... end": "c:1: cannot use '...' outside a vararg function near '...'",
	} {
		_, err := luac.Compile(source, "c", luac.Options{})
		assert.EqualError(t, err, want, source)
	}
}

func TestGiven(t *testing.T) {
	none, keys, argv := luac.Given{}, luac.Given{Keys: true}, luac.Given{Argv: true}
	kept := luac.Given{Keys: true, Kept: true}
	all := luac.Given{Keys: true, Argv: true, Kept: true}
	for source, want := range map[string]luac.Given{
		"return 1":                                     none,
		"local KEYS = {} return KEYS":                  none,
		"return KEYS[1]":                               keys,
		"return KEYS[ARGV[1]]":                         {Keys: true, Argv: true},
		"return KEYS.x":                                keys,
		"return #KEYS":                                 keys,
		"KEYS[1] = 'x'":                                keys,
		"return unpack(ARGV)":                          argv,
		"return unpack(ARGV, 2, 3)":                    argv,
		"for i, v in ipairs(KEYS) do f(v) end":         keys,
		"for k in pairs(KEYS) do f(k) end":             keys,
		"for k in pairs(KEYS[1]) do f(k) end":          keys,
		"for k in next, KEYS do f(k) end":              kept,
		"for k in pairs(KEYS), 1 do f(k) end":          kept,
		"for k in pairs(pairs(KEYS)) do f(k) end":      kept,
		"for k in (pairs(KEYS)) do f(k) end":           kept,
		"for k in pairs(KEYS) or 1 do f(k) end":        kept,
		"for k in pairs(KEYS)() do f(k) end":           kept,
		"local a, b = pairs(KEYS)":                     kept,
		"local a = unpack(x, KEYS)":                    kept,
		"return (KEYS)[1]":                             kept,
		"return KEYS":                                  kept,
		"return KEYS:x()":                              kept,
		"return f(KEYS)":                               kept,
		"return {KEYS}":                                kept,
		"return a and KEYS":                            kept,
		"return -KEYS":                                 kept,
		"return unpack(KEYS or a)":                     kept,
		"local unpack = f return unpack(KEYS)":         kept,
		"return function() return KEYS end":            kept,
		"return _G":                                    all,
		"loadstring('return KEYS')()":                  all,
		"local function f() return #ARGV end return f": argv,
	} {
		chunk, err := luac.Compile(source, "c", luac.Options{})
		require.NoError(t, err, source)
		assert.Equal(t, want, chunk.Given, source)
	}
}

func TestALocalFunctionSeesItsOwnName(t *testing.T) {
	chunk, err := luac.Compile("local function f() return f end local g = function() return g end", "c", luac.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"f"}, chunk.Proto.FunctionPrototypes[0].DbgUpvalues)
	assert.Empty(t, chunk.Proto.FunctionPrototypes[1].DbgUpvalues)
}

func TestScope(t *testing.T) {
	scope := &luac.Scope{Locals: []string{"a", "b", "c", "d"}}
	chunk, err := luac.Compile("b = a + c return function() return d end, ...", "c", luac.Options{Scope: scope})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a", "c", "d"}, chunk.Proto.DbgUpvalues)
}

func FuzzCompileEndsWithAnErrorOrAChunk(f *testing.F) {
	f.Add("local a <const> = {1, [2]=3, f'x'} return a..1")
	f.Add("--[==[ x")
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := luac.Compile(source, "c", luac.Options{}); err != nil {
			require.IsType(t, &syntax.Error{}, err)
		}
	})
}
