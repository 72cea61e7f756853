package luabridge

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Names in the environment that no script can write. The machine reads a field of a library by its
// alias, which costs one lookup; see machine.Adapt.
const (
	aliasPrefix = "\x00"  // alias of a field; followed by "redis.call", for example
	newGlobal   = "\x00=" // never exists; see machine.Environment
)

// proxy returns the read-only stand-in of a table: an empty table whose metatable reads from tb and
// refuses writes.
func (vm *VM) proxy(tb *lua.LTable) *lua.LTable {
	p, mt := vm.L.CreateTable(0, 0), vm.L.CreateTable(0, 2)
	mt.RawSetString("__index", tb)
	mt.RawSetString("__newindex", vm.refuse)
	p.Metatable = mt
	vm.proxies[mt] = tb
	return p
}

func (vm *VM) refuseWrite(L *lua.LState) int { return vm.fail(L, args.ReadOnly) }

// unproxy returns the table behind a stand-in, and other tables as they are.
func (vm *VM) unproxy(tb *lua.LTable) *lua.LTable {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		if real, ok := vm.proxies[mt]; ok {
			return real
		}
	}
	return tb
}

// visible returns the table that walks over tb see. It is unproxy, except that the globals come
// without aliases and in Redis's order.
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

// hidden reports whether a key of a table is not shown to scripts.
func (vm *VM) hidden(tb *lua.LTable, key lua.LValue) bool { return tb == vm.env && hiddenName(key) }

func hiddenName(k lua.LValue) bool {
	s, ok := k.(lua.LString)
	return ok && s != "" && s[0] == aliasPrefix[0]
}

// shownMetatable returns what getmetatable returns for a string or a read-only stand-in, and
// whether v is one.
func (vm *VM) shownMetatable(v lua.LValue) (mt lua.LValue, ok bool) {
	switch v := v.(type) {
	case lua.LString:
		return vm.stringMeta, true
	case *lua.LTable:
		switch {
		case v == vm.globals:
			return vm.globalMeta, true
		case v == vm.loadAPI:
			return vm.loadMeta, true
		case vm.unproxy(v) != v:
			return lua.LNil, true
		}
	}
	return nil, false
}

// missingGlobal is the __index of the globals, and of the library redis while a library is loaded.
func (vm *VM) missingGlobal(L *lua.LState) int {
	if L.GetTop() != 2 {
		return vm.fail(L, "Wrong number of arguments to luaProtectedTableError")
	}
	name, ok := args.Text(L.Get(2))
	if !ok {
		return vm.fail(L, "Second argument to luaProtectedTableError must be a string or number")
	}
	if alias, ok := strings.CutPrefix(name, aliasPrefix); ok && vm.opt.Functions {
		if name, ok = vm.missingField(L, alias); !ok {
			L.Push(lua.LNil)
			return 1
		}
	}
	return vm.fail(L, "Script attempted to access nonexistent global variable '%s'", args.CString(name))
}
