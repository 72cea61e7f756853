package engine

import (
	"github.com/redmoon-lua/redmoon/luabridge"
)

// The types with which a debugger inspects a stopped script. Package luabridge documents the
// methods.
type (
	// Debugger is notified of what a script does while it runs.
	Debugger = luabridge.Debugger
	// Stack is the call stack of a script.
	Stack = luabridge.Stack
	// Frame is one function on the call stack.
	Frame = luabridge.Frame
	// FrameKind is the kind of the function of a frame.
	FrameKind = luabridge.FrameKind
	// Variable is a local variable, an upvalue or one of the values of "...".
	Variable = luabridge.Variable
	// LuaValue is a value of a script.
	LuaValue = luabridge.Value
	// LuaKind is the type of a value, as the Lua function type returns it.
	LuaKind = luabridge.Kind
	// LuaField is one entry of a table.
	LuaField = luabridge.Field
)
