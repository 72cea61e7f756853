package globals_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// opened returns a state with the library string, and its globals.
func opened(t *testing.T) (*lua.LState, *globals.Globals) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	var g globals.Globals
	g.Open(L, func(L *lua.LState, format string, args ...any) int {
		L.RaiseError("%s", fmt.Sprintf(format, args...))
		return 0
	})
	str := tables.New(0, 1)
	tables.SetString(str, "len", L.NewFunction(func(L *lua.LState) int { L.Push(lua.LNumber(len(L.CheckString(1)))); return 1 }))
	g.Add("string", str)
	g.Close()
	return L, &g
}

func TestScriptsReadGlobalsAndCannotChangeThem(t *testing.T) {
	L, g := opened(t)
	for code, problem := range map[string]string{
		"local n = string.len('abc')": "",
		"local n = ('abc'):len()":     "",
		"string.len = nil":            args.ReadOnly,
		"_G.x = 1":                    args.ReadOnly,
		"x = 1":                       args.ReadOnly,
		"local y = x":                 "Script attempted to access nonexistent global variable 'x'",
	} {
		if err := L.DoString(code); problem == "" {
			require.NoError(t, err, code)
		} else {
			require.ErrorContains(t, err, problem, code)
		}
	}
	str := g.Env.RawGetString("string").(*lua.LTable)
	require.NotSame(t, str, g.Real(str))
	require.Same(t, g.Real(str), g.Real(g.Real(str)))
}

func TestWalksSeeNoAliases(t *testing.T) {
	_, g := opened(t)
	require.Contains(t, g.Names(), "string.len")
	aliases := 0
	for _, e := range tables.Entries(g.Env, nil) {
		if globals.IsAlias(e.Key) {
			require.True(t, g.Hidden(g.Env, e.Key))
			aliases++
		}
	}
	require.Equal(t, 1, aliases)
	for _, e := range tables.Entries(g.Shown(g.Value), nil) {
		require.False(t, globals.IsAlias(e.Key))
	}
}
