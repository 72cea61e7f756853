package engine

import (
	"github.com/redmoon-lua/redmoon/luabridge"
)

// What a debugger sees of a script that it has stopped.
type (
	// Debugger is told what a script does while it is run.
	Debugger = luabridge.Debugger
	// Stack is the functions that a script is in the middle of.
	Stack = luabridge.Stack
	// Frame is one function in progress.
	Frame = luabridge.Frame
	// FrameKind says what kind of function a frame is of.
	FrameKind = luabridge.FrameKind
	// Variable is a local, an upvalue or one of the values of ... .
	Variable = luabridge.Variable
	// LuaValue is a value of a script.
	LuaValue = luabridge.Value
	// LuaKind is what type() says of a value.
	LuaKind = luabridge.Kind
	// LuaField is one entry of a table.
	LuaField = luabridge.Field
)
