package engine

import "github.com/redmoon-lua/redmoon/luabridge"

// The kinds of frames.
const (
	MainChunk       = luabridge.MainChunk
	LuaFunction     = luabridge.LuaFunction
	LibraryFunction = luabridge.LibraryFunction
)

// The kinds of a script's values.
const (
	LuaNil      = luabridge.NilKind
	LuaBoolean  = luabridge.BooleanKind
	LuaNumber   = luabridge.NumberKind
	LuaString   = luabridge.StringKind
	LuaTable    = luabridge.TableKind
	LuaFunc     = luabridge.FunctionKind
	LuaThread   = luabridge.ThreadKind
	LuaUserdata = luabridge.UserdataKind
)
