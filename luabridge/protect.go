package luabridge

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

const readonly = "Attempt to modify a readonly table"

// Names in the environment that no script can write. The rewriter makes one of them out of each use of a library
// function, so that the function costs one lookup; see rewriter.attr.
const (
	aliasPrefix  = "\x00"    // + "redis.call"
	newGlobal    = "\x00="   // + name: never there, so that assigning to it is an error
	spreadGlobal = "\x00..." // see narrow
)

// proxy returns the read-only stand-in of a table: empty, so that every access goes through its
// metatable. Reads come from tb, writes fail.
func (vm *VM) proxy(tb *lua.LTable) *lua.LTable {
	p, mt := vm.L.CreateTable(0, 0), vm.L.CreateTable(0, 2)
	mt.RawSetString("__index", tb)
	mt.RawSetString("__newindex", vm.refuse)
	p.Metatable = mt
	vm.proxies[mt] = tb
	return p
}

func (vm *VM) refuseWrite(L *lua.LState) int { return vm.fail(L, readonly) }

// unproxy returns the table behind a proxy, or tb itself.
func (vm *VM) unproxy(tb *lua.LTable) *lua.LTable {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		if real, ok := vm.proxies[mt]; ok {
			return real
		}
	}
	return tb
}

// visible is unproxy for what walks a whole table: of the globals it returns a copy without the rewriter's own names, and with
// Redis's order.
func (vm *VM) visible(tb *lua.LTable) *lua.LTable {
	real := vm.unproxy(tb)
	if real != vm.env {
		return real
	}
	if !vm.opt.Functions {
		for _, name := range []string{"KEYS", "ARGV"} { // the others never change
			tables.SetString(vm.shownGlobals, name, vm.env.RawGetString(name))
		}
	}
	return vm.shownGlobals
}

// writable returns tb for a library function that is going to change it; a read-only table
// ends the script.
func (vm *VM) writable(L *lua.LState, tb *lua.LTable) *lua.LTable {
	if vm.unproxy(tb) != tb {
		vm.raise(L, lua.LString(readonly))
	}
	return tb
}

// missingGlobal is the __index of the globals, and of the library redis that the text of a library sees.
func (vm *VM) missingGlobal(L *lua.LState) int {
	if L.GetTop() != 2 {
		return vm.fail(L, "Wrong number of arguments to luaProtectedTableError")
	}
	name, ok := str(L.Get(2))
	if !ok {
		return vm.fail(L, "Second argument to luaProtectedTableError must be a string or number")
	}
	if alias, ok := strings.CutPrefix(name, aliasPrefix); ok && vm.opt.Functions {
		if name, ok = vm.missingField(L, alias); !ok {
			L.Push(lua.LNil)
			return 1
		}
	}
	return vm.fail(L, "Script attempted to access nonexistent global variable '%s'", cString(name))
}
