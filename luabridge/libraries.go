package luabridge

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/bitop"
	"github.com/redmoon-lua/redmoon/luabridge/cmsgpack"
	"github.com/redmoon-lua/redmoon/luabridge/internal/baselib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/corolib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/strlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tablelib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

// libraryRoom is the number of fields for which Lua makes room in a library's table.
var libraryRoom = map[string]int{"table": 9, "math": 28, "coroutine": 6}

// notInFunctions lists the fields of redis that scripts have and functions do not have.
var notInFunctions = []string{"breakpoint", "debug", "replicate_commands"}

// ownFunctions returns the global functions that package baselib does not have.
func (vm *VM) ownFunctions() map[string]lua.LGFunction {
	gc := collector{vm: vm, pause: 200, stepmul: 200}
	return map[string]lua.LGFunction{
		"collectgarbage": gc.collectGarbage,
		"gcinfo":         gc.info,
		"load":           vm.chunks.load,
		"loadstring":     vm.chunks.loadString,
		"pcall":          vm.pcall,
		"xpcall":         vm.xpcall,
	}
}

// openLibraries fills a fresh state.
func (vm *VM) openLibraries() {
	L := vm.L
	coroutine := corolib.Library{Host: vm.lib, Machine: vm.machine, Where: vm.where, Resumed: vm.resumed,
		Again: func() { vm.debug.again = true }}
	coroutines := coroutine.Functions(L)
	vm.globals.Open(L, vm.fail)

	vm.base = baselib.Library{Host: vm.lib, Where: vm.where, Shown: vm.globals.Shown, Hidden: vm.globals.Hidden,
		Metatable: vm.globals.Metatable}
	vm.base.Shuffle(vm.opt.ShufflePairs)
	for _, functions := range []map[string]lua.LGFunction{vm.base.Functions(L), vm.ownFunctions()} {
		for name, fn := range functions {
			vm.globals.Env.RawSetString(name, L.NewFunction(fn))
		}
	}
	table := tablelib.Library{Host: vm.lib, Next: vm.base.Next, Less: vm.machine.Less, Each: vm.redis.Convert.Each}
	math := mathlib.Library{Host: vm.lib, Random: &vm.random}
	vm.globals.Env.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	vm.handlerFn = L.NewFunction(vm.errHandler)
	vm.globals.Env.RawSetString("__redis__err__handler", vm.handlerFn)

	own := map[string]map[string]lua.LGFunction{
		"redis": vm.redis.Functions(), "table": table.Functions(), "math": math.Functions(),
		"coroutine": coroutines,
	}
	constants := map[string]map[string]lua.LValue{"redis": vm.redis.Constants(), "math": mathlib.Constants()}
	for lib, fields := range globals.Libraries() {
		if tb := vm.openModule(lib); tb != nil {
			vm.addLibrary(lib, tb)
			continue
		}
		tb := tables.New(0, libraryRoom[lib])
		for _, name := range fields {
			switch {
			case vm.opt.Functions && lib == "redis" && slices.Contains(notInFunctions, name):
			case own[lib][name] != nil:
				fn := L.NewFunction(own[lib][name])
				tables.SetString(tb, name, fn)
				if lib == "redis" && name == "call" && vm.opt.tool == nil {
					vm.machine.Command = machine.Command{Fn: fn, Direct: vm.redis.Direct, Raise: L.NewFunction(vm.redis.Raise)}
				}
			case constants[lib][name] != nil:
				tables.SetString(tb, name, constants[lib][name])
			case lib == "math" && name == "mod":
				tables.SetString(tb, name, tb.RawGetString("fmod"))
			}
		}
		vm.addLibrary(lib, tb)
	}
	if vm.opt.tool != nil {
		vm.globals.CloseFree()
		return
	}
	vm.globals.Close()
	if vm.opt.Functions {
		vm.globals.ForFunctions(L.NewFunction(vm.redisRegisterFunction), L.NewFunction(vm.redis.Log))
	}
}

// addLibrary adds a library to the globals.
func (vm *VM) addLibrary(name string, tb *lua.LTable) {
	if vm.opt.tool != nil {
		vm.globals.AddFree(name, tb)
	} else {
		vm.globals.Add(name, tb)
	}
}

// openModule makes the table of a library that has its own package; nil for the others.
func (vm *VM) openModule(name string) *lua.LTable {
	switch name {
	case "bit":
		m := bitop.Library{Host: vm.lib}
		return m.Open(vm.L)
	case "cjson":
		vm.cjson.Host, vm.cjson.Real, vm.cjson.Bridged = vm.lib, vm.globals.Shown, true
		return vm.cjson.Open(vm.L)
	case "cmsgpack":
		m := cmsgpack.Library{Real: vm.globals.Shown, Fail: vm.fail, BadArgument: vm.badArgument, Raise: vm.raise, Budget: &vm.limits.Budget}
		return m.Open(vm.L)
	case "string":
		m := strlib.Library{Host: vm.lib, Dump: vm.chunks.dump}
		return m.Open(vm.L)
	case "struct":
		m := structlib.Library{Host: vm.lib}
		return m.Open(vm.L)
	}
	return nil
}

// Inventory returns what a script can reach from the globals, as "name" and "library.name", sorted.
func (vm *VM) Inventory() []string { return vm.globals.Names() }
