package luabridge

import (
	lua "github.com/yuin/gopher-lua"
)

func (vm *VM) stringFunctions() map[string]lua.LGFunction {
	stockGmatch := vm.stock("string", "gmatch")
	return map[string]lua.LGFunction{"gfind": stockGmatch}
}

// stock returns a function of gopher-lua's own library. It may be called while the libraries are opened
// only.
func (vm *VM) stock(lib, name string) lua.LGFunction {
	tb, ok := vm.opened.RawGetString(lib).(*lua.LTable)
	if !ok {
		return nil
	}
	if fn, ok := tb.RawGetString(name).(*lua.LFunction); ok {
		return fn.GFunction
	}
	return nil
}
