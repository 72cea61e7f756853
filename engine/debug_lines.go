package engine

import (
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// ScriptLines returns the numbers of the lines of a script that have code, in ascending order, from
// 1: those for which [Debugger].Line may be called. The error is an *[Error], Redis's error reply,
// if the script does not compile.
func ScriptLines(source string) ([]int, error) { return luabridge.CheckSource(source) }

// MatchGlob reports whether s matches a glob pattern, as the command KEYS takes it. The match is
// case-sensitive.
func MatchGlob(pattern, s string) bool { return glob.Match(pattern, s, false) }

// The kinds of values of a script.
const (
	LuaNil      = luabridge.NilKind
	LuaBoolean  = luabridge.BooleanKind
	LuaNumber   = luabridge.NumberKind
	LuaString   = luabridge.StringKind
	LuaTable    = luabridge.TableKind
	LuaFunction = luabridge.FunctionKind
	LuaThread   = luabridge.ThreadKind
	LuaUserdata = luabridge.UserdataKind
)

// The kinds of frames.
const (
	FrameOfMainChunk = luabridge.MainChunk
	FrameOfFunction  = luabridge.LuaFunction
	FrameOfLibrary   = luabridge.LibraryFunction
)
