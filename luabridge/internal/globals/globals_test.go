package globals_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// common are globals with the library string.
func common() *globals.Common {
	c := globals.NewCommon(servers.Redis70, &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
		L.RaiseError("%s", args.ReadOnly)
		return 0
	}}, &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return (*globals.Globals)(machine.Owner(L)).Missing(L) }})
	str := tables.New(0, 1)
	tables.SetString(str, "len", &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
		L.Push(lua.LNumber(len(L.CheckString(1))))
		return 1
	}})
	c.Add(str, "string")
	c.Close()
	return c
}

// opened returns a state with these globals.
func opened(t *testing.T, c *globals.Common) (*lua.LState, *globals.Globals) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	var g globals.Globals
	machine.SetOwner(L, unsafe.Pointer(&g))
	g.Open(L, c, func(L *lua.LState, format string, args ...any) int {
		L.RaiseError("%s", fmt.Sprintf(format, args...))
		return 0
	})
	return L, &g
}

func TestScriptsReadGlobalsAndCannotChangeThem(t *testing.T) {
	L, g := opened(t, common())
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
	str := g.Get("string").(*lua.LTable)
	require.NotSame(t, str, globals.Real(str))
	require.Same(t, globals.Real(str), globals.Real(globals.Real(str)))
	require.Same(t, str, globals.StandIn(globals.Real(str)))
}

func TestWalksSeeNoAliases(t *testing.T) {
	_, g := opened(t, common())
	require.Contains(t, g.Names(), "string.len")
	require.NotEqual(t, lua.LNil, g.Get("\x00string.len"))
	for _, tb := range []*lua.LTable{g.Env, g.Value} {
		for _, e := range tables.Entries(globals.Shown(tb), nil) {
			require.False(t, globals.IsAlias(e.Key))
		}
	}
}

func TestStatesShareAllButTheirArguments(t *testing.T) {
	c := common()
	_, a := opened(t, c)
	_, b := opened(t, c)
	require.Same(t, a.Get("string"), b.Get("string"))
	require.NotSame(t, a.Value, b.Value)
	keys := tables.NewArray([]lua.LValue{lua.LString("k")})
	tables.Replace(a.Env, "KEYS", keys)
	require.Same(t, keys, a.Get("KEYS"))
	require.NotSame(t, keys, b.Get("KEYS"))
	require.Same(t, keys, tables.Get(globals.Shown(a.Value), lua.LString("KEYS")))
	require.NotSame(t, keys, tables.Get(globals.Shown(b.Value), lua.LString("KEYS")))
}
