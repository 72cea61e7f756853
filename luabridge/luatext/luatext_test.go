package luatext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

func TestSameCodeIgnoresLayoutOnly(t *testing.T) {
	const base = "local a = f(1)\nreturn {a, 'x'}"
	for text, same := range map[string]bool{
		"local a=f(1);return{a,[[x]],}":               true,
		"-- c\nlocal a =\n\n f(1)\nreturn {a, \"x\"}": true,
		"local b = f(1)\nreturn {b, 'x'}":             false,
		"local a = f(1.5)\nreturn {a, 'x'}":           false,
		"local a = f(1)\nreturn {a, 'y'}":             false,
		"local a = (f(1))\nreturn {a, f 'x'}":         false,
		"local a = f(1)\nreturn {a, 'x'":              false,
		"#!lua\nlocal a = f(1)\nreturn {a, 'x'}":      false,
	} {
		require.Equal(t, same, luatext.SameCode(base, text), text)
		require.Equal(t, same, luatext.SameCode(text, base), text)
	}
	require.True(t, luatext.SameCode("#!lua name=x\nreturn 1", "#!lua name=x\n\n\nreturn 1;"))
	require.False(t, luatext.SameCode("#!lua name=x\nreturn 1", "#!lua name=y\nreturn 1"))
	require.False(t, luatext.SameCode("return 0", "return function() return 0 end"))
	require.False(t, luatext.SameCode("return +", "return +"))
}

func TestCheckReadsScriptsAndLibraries(t *testing.T) {
	require.NoError(t, luatext.Check("return KEYS[1]"))
	require.NoError(t, luatext.Check("#!lua name=x\nredis.register_function('f', function() end)"))
	require.EqualError(t, luatext.Check("return +"), "ERR Error compiling script (new function): user_script:1: unexpected symbol near '+'")
	require.EqualError(t, luatext.Check("#!lua name=x\nreturn +"), "ERR Error compiling function: user_function:2: unexpected symbol near '+'")
	require.EqualError(t, luatext.Check("#!lua name=\nreturn 1"), "ERR Library names can only contain letters, numbers, or underscores(_) "+
		"and must be at least one character long")
}
