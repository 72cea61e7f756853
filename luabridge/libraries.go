package luabridge

import (
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/bitop"
	"github.com/redmoon-lua/redmoon/luabridge/cmsgpack"
	"github.com/redmoon-lua/redmoon/luabridge/internal/baselib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/strlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tablelib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

// libraryFields lists the fields of each library in the order in which Redis adds them, which pairs
// shows. See also environment.
var libraryFields = map[string][]string{
	"string": {"byte", "char", "dump", "find", "format", "gfind", "gmatch", "gsub", "len", "lower", "match", "rep",
		"reverse", "sub", "upper"},
	"table": {"concat", "foreach", "foreachi", "getn", "maxn", "insert", "remove", "setn", "sort"},
	"math": {"abs", "acos", "asin", "atan2", "atan", "ceil", "cosh", "cos", "deg", "exp", "floor", "fmod", "frexp", "ldexp",
		"log10", "log", "max", "min", "modf", "pow", "rad", "random", "randomseed", "sinh", "sin", "sqrt", "tanh", "tan",
		"pi", "huge", "mod"},
	"coroutine": {"create", "resume", "running", "status", "wrap", "yield"},
	"redis": {"call", "pcall", "log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REDIS_VERSION_NUM",
		"REDIS_VERSION", "setresp", "sha1hex", "error_reply", "status_reply", "set_repl", "REPL_NONE", "REPL_AOF", "REPL_SLAVE",
		"REPL_REPLICA", "REPL_ALL", "acl_check_cmd", "breakpoint", "debug", "replicate_commands"},
	"bit": {"arshift", "band", "bnot", "bor", "bswap", "bxor", "lshift", "rol", "ror", "rshift", "tobit", "tohex"},
	"cjson": {"decode", "decode_invalid_numbers", "decode_max_depth", "encode", "encode_invalid_numbers",
		"encode_keep_buffer", "encode_max_depth", "encode_number_precision", "encode_sparse_array", "new", "null",
		"_NAME", "_VERSION"},
	"cmsgpack": {"pack", "unpack", "unpack_limit", "unpack_one", "_COPYRIGHT", "_DESCRIPTION", "_NAME", "_VERSION"},
	"struct":   {"pack", "size", "unpack"},
}

// libraryRoom is the number of fields for which Lua makes room in a library's table.
var libraryRoom = map[string]int{"table": 9, "math": 28, "coroutine": 6}

// globalsOrder lists Redis's globals in the order in which it adds them, which pairs shows. Redis
// refuses or removes the names behind a minus sign, but they have taken a place.
var globalsOrder = strings.Fields("_G assert collectgarbage -dofile error gcinfo -getfenv getmetatable -loadfile loadstring load next " +
	"pcall -print rawequal rawget rawset select -setfenv setmetatable tonumber tostring type unpack xpcall _VERSION ipairs pairs " +
	"-newproxy coroutine table string math debug cjson struct cmsgpack bit redis __redis__err__handler -debug KEYS ARGV")

// ownFunctions returns the global functions that package baselib does not have.
func (vm *VM) ownFunctions() map[string]lua.LGFunction {
	gc := collector{vm: vm, pause: 200, stepmul: 200}
	return map[string]lua.LGFunction{
		"collectgarbage": gc.collectGarbage,
		"gcinfo":         gc.info,
		"load":           vm.load,
		"loadstring":     vm.loadString,
		"pcall":          vm.pcall,
		"xpcall":         vm.xpcall,
	}
}

// openLibraries fills a fresh state. It opens gopher-lua's coroutine library in a separate table
// and takes functions from there.
func (vm *VM) openLibraries() {
	L := vm.L
	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 0)
	stock := L.G.Global
	vm.opened = stock
	vm.env = L.CreateTable(0, 256)
	L.Env = vm.env
	L.G.Global = vm.env

	vm.base = baselib.Library{Host: vm.lib, Where: vm.where, Shown: vm.visible, Hidden: vm.hidden, Metatable: vm.shownMetatable}
	for _, functions := range []map[string]lua.LGFunction{vm.base.Functions(L), vm.ownFunctions()} {
		for name, fn := range functions {
			vm.env.RawSetString(name, L.NewFunction(fn))
		}
	}
	table := tablelib.Library{Host: vm.lib, Next: vm.base.Next, Less: vm.machine.Less, Each: vm.convert.Each}
	math := mathlib.Library{Host: vm.lib, Random: &vm.random}
	vm.env.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	vm.handlerFn = L.NewFunction(vm.errHandler)
	vm.env.RawSetString("__redis__err__handler", vm.handlerFn)

	own := map[string]map[string]lua.LGFunction{
		"redis": vm.redisFunctions(), "table": table.Functions(), "math": math.Functions(),
		"coroutine": vm.coroutineFunctions(),
	}
	constants := map[string]map[string]lua.LValue{"redis": vm.redisConstants(), "math": mathlib.Constants()}
	for lib, fields := range libraryFields {
		if tb := vm.openModule(lib); tb != nil {
			vm.library(lib, tb)
			continue
		}
		from, _ := stock.RawGetString(lib).(*lua.LTable)
		tb := tables.New(0, libraryRoom[lib])
		for _, name := range fields {
			switch {
			case vm.opt.Functions && lib == "redis" && slices.Contains(notInFunctions, name):
			case own[lib][name] != nil:
				fn := L.NewFunction(own[lib][name])
				tables.SetString(tb, name, fn)
				if lib == "redis" && name == "call" {
					vm.machine.Command = machine.Command{Fn: fn, Direct: vm.direct, Raise: L.NewFunction(vm.redisRaise)}
				}
			case constants[lib][name] != nil:
				tables.SetString(tb, name, constants[lib][name])
			case lib == "math" && name == "mod":
				tables.SetString(tb, name, tb.RawGetString("fmod"))
			case from != nil:
				tables.SetString(tb, name, from.RawGetString(name))
			}
		}
		vm.library(lib, tb)
	}
	vm.protectStrings()
	vm.protectGlobals()
	if vm.opt.Functions {
		vm.forFunctions()
	}
}

// stock returns a function of gopher-lua's own library. It may be called only while the libraries
// are opened.
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

// openModule makes the table of a library that has its own package; nil for the others.
func (vm *VM) openModule(name string) *lua.LTable {
	switch name {
	case "bit":
		m := bitop.Library{Host: vm.lib}
		return m.Open(vm.L)
	case "cjson":
		vm.cjson.Host, vm.cjson.Real, vm.cjson.Bridged = vm.lib, vm.visible, true
		return vm.cjson.Open(vm.L)
	case "cmsgpack":
		m := cmsgpack.Library{Real: vm.visible, Fail: vm.fail, BadArgument: vm.badArgument, Raise: vm.raise, Budget: &vm.budget}
		return m.Open(vm.L)
	case "string":
		m := strlib.Library{Host: vm.lib, Dump: vm.dump}
		return m.Open(vm.L)
	case "struct":
		m := structlib.Library{Host: vm.lib}
		return m.Open(vm.L)
	}
	return nil
}

// library adds a library's stand-in to the globals, and an alias of each of its fields.
func (vm *VM) library(name string, tb *lua.LTable) {
	vm.env.RawSetString(name, vm.proxy(tb))
	for _, e := range tables.Entries(tb, nil) {
		vm.env.RawSetString(aliasPrefix+name+"."+e.Key.String(), e.Value)
	}
}

func (vm *VM) protectStrings() {
	library := vm.env.RawGetString("string").(*lua.LTable)
	mt := vm.L.CreateTable(0, 1)
	mt.RawSetString("__index", vm.unproxy(library)) // the VM indexes strings with it
	vm.L.SetMetatable(lua.LString(""), mt)
	shown := vm.L.CreateTable(0, 1)
	shown.RawSetString("__index", library)
	vm.stringMeta = vm.proxy(shown)
}

func (vm *VM) protectGlobals() {
	mt := vm.L.CreateTable(0, 2)
	mt.RawSetString("__index", vm.L.NewFunction(vm.missingGlobal))
	mt.RawSetString("__newindex", vm.refuse)
	vm.env.Metatable = mt
	shown := vm.L.CreateTable(0, 1)
	shown.RawSetString("__index", mt.RawGetString("__index"))
	vm.globalMeta = vm.proxy(shown)
	vm.globals = vm.proxy(vm.env)
	vm.env.RawSetString("_G", vm.globals)
	empty := vm.L.CreateTable(0, 0)
	vm.env.RawSetString("KEYS", empty)
	vm.env.RawSetString("ARGV", empty)
	vm.shownGlobals = tables.New(0, 2)
	for _, name := range globalsOrder {
		vm.showGlobal(name)
	}
}

// showGlobal gives a name of globalsOrder its place in the table that pairs(_G) walks over.
func (vm *VM) showGlobal(name string) {
	if refused, ok := strings.CutPrefix(name, "-"); ok {
		tables.SetString(vm.shownGlobals, refused, lua.LNil)
	} else if v := vm.env.RawGetString(name); v != lua.LNil {
		tables.SetString(vm.shownGlobals, name, v)
	} else { // set later
		tables.SetString(vm.shownGlobals, name, lua.LFalse)
	}
}

// Inventory returns what a script can reach from the globals, as "name" and "library.name", sorted.
func (vm *VM) Inventory() []string {
	var out []string
	for _, e := range vm.convert.Entries(vm.globals) {
		name := e.Key.String()
		out = append(out, name)
		if tb, ok := e.Value.(*lua.LTable); ok && tb != vm.globals {
			for _, field := range vm.convert.Entries(tb) {
				out = append(out, name+"."+field.Key.String())
			}
		}
	}
	sort.Strings(out)
	return out
}
