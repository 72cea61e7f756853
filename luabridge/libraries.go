package luabridge

import (
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/bitop"
	"github.com/redmoon-lua/redmoon/luabridge/cmsgpack"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/strlib"
	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

// libraryFields names what scripts see in each library; the rewriter turns these uses into aliases.
var libraryFields = map[string][]string{
	"string": {"byte", "char", "dump", "find", "format", "gfind", "gmatch", "gsub", "len", "lower", "match", "rep",
		"reverse", "sub", "upper"},
	"table": {"concat", "foreach", "foreachi", "getn", "insert", "maxn", "remove", "setn", "sort"},
	"math": {"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp",
		"huge", "ldexp", "log", "log10", "max", "min", "mod", "modf", "pi", "pow", "rad", "random", "randomseed",
		"sin", "sinh", "sqrt", "tan", "tanh"},
	"coroutine": {"create", "resume", "running", "status", "wrap", "yield"},
	"redis": {"call", "pcall", "log", "sha1hex", "error_reply", "status_reply", "setresp", "set_repl", "acl_check_cmd",
		"replicate_commands", "breakpoint", "debug", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING",
		"REPL_NONE", "REPL_AOF", "REPL_SLAVE", "REPL_REPLICA", "REPL_ALL", "REDIS_VERSION", "REDIS_VERSION_NUM"},
	"bit": {"arshift", "band", "bnot", "bor", "bswap", "bxor", "lshift", "rol", "ror", "rshift", "tobit", "tohex"},
	"cjson": {"decode", "decode_invalid_numbers", "decode_max_depth", "encode", "encode_invalid_numbers",
		"encode_keep_buffer", "encode_max_depth", "encode_number_precision", "encode_sparse_array", "new", "null",
		"_NAME", "_VERSION"},
	"cmsgpack": {"pack", "unpack", "unpack_limit", "unpack_one", "_COPYRIGHT", "_DESCRIPTION", "_NAME", "_VERSION"},
	"struct":   {"pack", "size", "unpack"},
}

// openLibraries fills a fresh state: gopher-lua's libraries are opened beside, and what
// Redis's Lua has of them is taken over.
func (vm *VM) openLibraries() {
	L := vm.L
	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 0)
	stock := L.G.Global
	vm.opened = stock
	vm.env = L.CreateTable(0, 256)
	L.Env = vm.env
	L.G.Global = vm.env

	for name, fn := range vm.baseFunctions() {
		vm.env.RawSetString(name, L.NewFunction(fn))
	}
	vm.nextFn = L.NewFunction(vm.next) // what pairs returns is not the global next
	vm.ipairsStep = L.NewFunction(vm.ipairsNext)
	vm.env.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	vm.env.RawSetString("__redis__err__handler", L.NewFunction(vm.errHandler))
	vm.env.RawSetString(aliasPrefix+"redis.call"+discardMark, L.NewFunction(vm.redisCallNoResult))

	own := map[string]map[string]lua.LGFunction{
		"redis": vm.redisFunctions(), "table": vm.tableFunctions(), "math": vm.mathFunctions(),
		"coroutine": vm.coroutineFunctions(),
	}
	for lib, fields := range libraryFields {
		if tb := vm.openModule(lib); tb != nil {
			vm.library(lib, tb)
			continue
		}
		from, _ := stock.RawGetString(lib).(*lua.LTable)
		tb := L.CreateTable(0, len(fields))
		for _, name := range fields {
			if fn := own[lib][name]; fn != nil {
				tb.RawSetString(name, L.NewFunction(fn))
			} else if from != nil {
				tb.RawSetString(name, from.RawGetString(name))
			}
		}
		switch lib {
		case "redis":
			for name, v := range vm.redisConstants() {
				tb.RawSetString(name, v)
			}
		case "math":
			for name, v := range mathConstants() {
				tb.RawSetString(name, v)
			}
			tb.RawSetString("mod", tb.RawGetString("fmod"))
		}
		vm.library(lib, tb)
	}
	vm.protectStrings()
	vm.protectGlobals()
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

// openModule makes the table of a library that is a package of its own; nil for the others.
func (vm *VM) openModule(name string) *lua.LTable {
	host := args.Host{Fail: vm.fail, BadArgument: vm.badArgument}
	switch name {
	case "bit":
		m := bitop.Library{Host: host}
		return m.Open(vm.L)
	case "cjson":
		vm.cjson.Host, vm.cjson.Real, vm.cjson.Bridged = host, vm.visible, true
		return vm.cjson.Open(vm.L)
	case "cmsgpack":
		m := cmsgpack.Library{Real: vm.visible, Fail: vm.fail, BadArgument: vm.badArgument, Raise: vm.raise}
		return m.Open(vm.L)
	case "string":
		m := strlib.Library{Host: host, Check: vm.checkKilled}
		return m.Open(vm.L)
	case "struct":
		m := structlib.Library{Host: host}
		return m.Open(vm.L)
	}
	return nil
}

// library puts a library's proxy among the globals, and an alias of each of its fields.
func (vm *VM) library(name string, tb *lua.LTable) {
	vm.env.RawSetString(name, vm.proxy(tb))
	tb.ForEach(func(k, v lua.LValue) {
		vm.env.RawSetString(aliasPrefix+name+"."+k.String(), v)
	})
}

func (vm *VM) protectStrings() {
	strings := vm.env.RawGetString("string").(*lua.LTable)
	mt := vm.L.CreateTable(0, 1)
	mt.RawSetString("__index", vm.unproxy(strings)) // what the VM indexes strings with
	vm.L.SetMetatable(lua.LString(""), mt)
	shown := vm.L.CreateTable(0, 1)
	shown.RawSetString("__index", strings)
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
}

// Inventory lists what a script can reach from the globals, as "name" and "library.name", sorted.
func (vm *VM) Inventory() []string {
	var out []string
	vm.env.ForEach(func(k, v lua.LValue) {
		if name := k.String(); name[0] != aliasPrefix[0] {
			out = append(out, name)
			if tb, ok := v.(*lua.LTable); ok && tb != vm.globals {
				vm.unproxy(tb).ForEach(func(k, _ lua.LValue) { out = append(out, name+"."+k.String()) })
			}
		}
	})
	sort.Strings(out)
	return out
}
