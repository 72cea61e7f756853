package luabridge

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/bitop"
	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	"github.com/redmoon-lua/redmoon/luabridge/cmsgpack"
	"github.com/redmoon-lua/redmoon/luabridge/internal/baselib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/corolib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
	"github.com/redmoon-lua/redmoon/luabridge/internal/strlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tablelib"
	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

// libraries are what the library functions keep for one Lua state. The functions themselves are
// shared; see [shared]. The libraries redis and cjson outlive a state and are in [VM].
type libraries struct {
	base      baselib.Library
	bit       bitop.Library
	cmsgpack  cmsgpack.Library
	coroutine corolib.Library
	gc        collector
	math      mathlib.Library
	string    strlib.Library
	structs   structlib.Library
	table     tablelib.Library
}

// openLibraries fills a fresh state.
func (vm *VM) openLibraries() {
	vm.globals.Open(vm.L, vm.common.globals, vm.fail)
	vm.libraries = libraries{
		base: baselib.Library{Host: vm.lib, Where: vm.where, Shown: globals.Shown, StandIn: globals.StandIn,
			Metatable: vm.globals.Metatable, Globals: func() lua.LValue { return vm.globals.Value },
			Next: vm.common.next, Step: vm.common.step},
		bit: bitop.Library{Host: vm.lib},
		cmsgpack: cmsgpack.Library{Real: globals.Shown, Fail: vm.fail, BadArgument: vm.badArgument, Raise: vm.raise,
			Budget: &vm.limits.Budget, Hashing: vm.lib.Hashing},
		coroutine: corolib.Library{Host: vm.lib, Machine: vm.machine, Where: vm.where, Resumed: vm.resumed,
			Again: func() { vm.debug.again = true }},
		gc:      collector{vm: vm, pause: 200, stepmul: 200},
		math:    mathlib.Library{Host: vm.lib, Random: &vm.random},
		string:  strlib.Library{Host: vm.lib, Dump: vm.chunks.dump},
		structs: structlib.Library{Host: vm.lib},
		table:   tablelib.Library{Host: vm.lib, Next: vm.common.next, Less: vm.machine.Less, Each: vm.redis.Convert.Each},
	}
	vm.base.Shuffle(vm.opt.ShufflePairs)
	vm.cjson.Host, vm.cjson.Real, vm.cjson.Bridged = vm.lib, globals.Shown, true
	vm.cjson.Guard = vm.common.globals.Guard
	vm.cjson.Arrays = slices.Contains(names.Fields("cjson", vm.opt.server), cjson.ArrayTables)
}

// Inventory returns what a script can reach from the globals, as "name" and "library.name", sorted.
func (vm *VM) Inventory() []string { return vm.globals.Names() }

// null is the value of cjson.null in all states.
var null = cjson.New()
