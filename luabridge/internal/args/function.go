package args

import lua "github.com/yuin/gopher-lua"

// Function is a function of a library that keeps its state in a T. The function itself has no
// state, so all Lua states can share the value that a Maker makes of it.
type Function[T any] struct {
	Name string
	Call func(lib *T, L *lua.LState) int
}

// Maker makes Lua values of the functions of a library.
type Maker[T any] func(f Function[T]) *lua.LFunction

// Bind returns a maker of values for L alone, which call the functions with lib.
func Bind[T any](L *lua.LState, lib *T) Maker[T] {
	return func(f Function[T]) *lua.LFunction {
		return L.NewFunction(func(L *lua.LState) int { return f.Call(lib, L) })
	}
}
