package baselib

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// OldFunctions returns functions that only some servers have: those that a script could use to
// leave its sandbox.
func OldFunctions() []args.Function[Library] {
	return []args.Function[Library]{
		{Name: "getfenv", Call: (*Library).getEnvironment},
		{Name: "newproxy", Call: (*Library).newProxy},
		{Name: "setfenv", Call: (*Library).setEnvironment},
	}
}

// checkFunction checks an argument that is a function, or a level of the stack. otherwise is the
// level of a missing one; 0: it must not be missing.
func (b *Library) checkFunction(L *lua.LState, otherwise int) {
	if _, ok := L.Get(1).(*lua.LFunction); ok {
		return
	}
	level := otherwise
	if otherwise == 0 {
		level = b.Int(L, 1)
	} else {
		level = b.OptionalInt(L, 1, otherwise)
	}
	if level < 0 {
		b.Bad(L, 1, "level must be non-negative")
	}
	if _, ok := L.GetStack(level); !ok {
		b.Bad(L, 1, "invalid level")
	}
}

// getEnvironment is getfenv([f]). All functions have the same environment.
func (b *Library) getEnvironment(L *lua.LState) int {
	b.checkFunction(L, 1)
	L.Push(b.Globals())
	return 1
}

// setEnvironment is setfenv(f, table). It refuses every function, as it does for those of
// libraries: the code of scripts knows its globals.
func (b *Library) setEnvironment(L *lua.LState) int {
	b.Table(L, 2)
	b.checkFunction(L, 0)
	return b.Error(L, "'setfenv' cannot change environment of given object")
}

// newProxy is newproxy([metatable]): true for a new one, or a proxy for that of the proxy.
func (b *Library) newProxy(L *lua.LState) int {
	proxy := &lua.LUserData{Value: struct{}{}, Metatable: lua.LNil}
	switch v := L.Get(1).(type) {
	case *lua.LNilType:
	case lua.LBool:
		if v {
			proxy.Metatable = b.Hashing.Use(&lua.LTable{Metatable: lua.LNil})
		}
	case *lua.LUserData:
		if v.Metatable == lua.LNil { // cjson.null, and proxies without one
			return b.Bad(L, 1, "boolean or proxy expected")
		}
		proxy.Metatable = v.Metatable
	default:
		return b.Bad(L, 1, "boolean or proxy expected")
	}
	L.Push(proxy)
	return 1
}
