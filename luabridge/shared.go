package luabridge

import (
	"slices"
	"sync"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/bitop"
	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	"github.com/redmoon-lua/redmoon/luabridge/cmsgpack"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/baselib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/corolib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
	"github.com/redmoon-lua/redmoon/luabridge/internal/redisapi"
	"github.com/redmoon-lua/redmoon/luabridge/internal/strlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tablelib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/luabridge/structlib"
)

// shared is what the Lua states of all VMs with the same options have in common. Any number of
// goroutines use it, so nobody changes it after it has been made. Its functions have no state of
// their own: they find the VM that calls them by the state.
type shared struct {
	globals *globals.Common

	entry                  *lua.LFunction     // marks the frame below a script; it is not called
	guardEntry             *lua.LFunction     // enterGuarded
	next, globalNext, step *lua.LFunction     // what pairs returns, next, what ipairs returns
	call, raise            *lua.LFunction     // redis.call, and what raises its errors
	handler                *lua.LFunction     // __redis__err__handler
	place                  *lua.FunctionProto // sets the position of an error table
}

// ownerOf returns the VM to which a thread belongs.
func ownerOf(L *lua.LState) *VM { return (*VM)(machine.Owner(L)) }

// values returns a maker of function values that all VMs can share. in returns the state of the
// library in a VM. To call it each time would be slow, so it is called once, for the offset. The
// noinline lets the compiler inline Owner into the functions.
//
//go:noinline
func values[T any](in func(vm *VM) *T) args.Maker[T] {
	vm := new(VM)
	at := uintptr(unsafe.Pointer(in(vm))) - uintptr(unsafe.Pointer(vm))
	if at >= unsafe.Sizeof(*vm) {
		panic("luabridge: the state of a library is not in the VM")
	}
	return func(f args.Function[T]) *lua.LFunction {
		call := f.Call
		return &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
			return call((*T)(unsafe.Add(machine.Owner(L), at)), L)
		}}
	}
}

// Makers for the functions of each library.
var (
	baseValues     = values(func(vm *VM) *baselib.Library { return &vm.base })
	bitValues      = values(func(vm *VM) *bitop.Library { return &vm.bit })
	cjsonValues    = values(func(vm *VM) *cjson.Codec { return &vm.cjson })
	cmsgpackValues = values(func(vm *VM) *cmsgpack.Library { return &vm.cmsgpack })
	coroutines     = values(func(vm *VM) *corolib.Library { return &vm.coroutine })
	mathValues     = values(func(vm *VM) *mathlib.Library { return &vm.math })
	redisValues    = values(func(vm *VM) *redisapi.Library { return &vm.redis })
	stringValues   = values(func(vm *VM) *strlib.Library { return &vm.string })
	structValues   = values(func(vm *VM) *structlib.Library { return &vm.structs })
	tableValues    = values(func(vm *VM) *tablelib.Library { return &vm.table })
)

// method is values for the functions of the VM itself.
//
//go:noinline
func method(call func(vm *VM, L *lua.LState) int) *lua.LFunction {
	return &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return call(ownerOf(L), L) }}
}

// libraryRoom is the number of fields for which Lua makes room in a library's table.
var libraryRoom = map[string]int{"table": 9, "math": 28, "coroutine": 6}

// notInFunctions lists the fields of redis that scripts have and functions do not have.
var notInFunctions = []string{"breakpoint", "debug", "replicate_commands"}

// newShared makes what VMs of a kind share.
func newShared(kind sharedKind) *shared {
	s := &shared{
		entry: &lua.LFunction{IsG: true}, guardEntry: method((*VM).enterGuarded), handler: method((*VM).errHandler),
		globals: globals.NewCommon(kind.server, method((*VM).refuse), method((*VM).missing)),
	}
	s.addFunctions(kind)
	s.addLibraries(kind)
	place, err := compile(handlerSource, handlerName, luac.Options{})
	if err != nil {
		panic("luabridge: " + err.Error())
	}
	s.place = place.proto
	switch {
	case kind.tool:
		s.globals.CloseFree()
	case kind.functions:
		s.globals.CloseForFunctions(method((*VM).redisRegisterFunction), redisValues(redisapi.LogFunction), method((*VM).missing))
	default:
		s.globals.Close()
	}
	return s
}

// refuse is the __newindex of tables that scripts cannot change.
func (vm *VM) refuse(L *lua.LState) int { return vm.fail(L, args.ReadOnly) }

// missing is the __index of the globals.
func (vm *VM) missing(L *lua.LState) int { return vm.globals.Missing(L) }

// addFunctions adds the global functions.
func (s *shared) addFunctions(kind sharedKind) {
	for _, f := range baselib.Functions() {
		s.globals.Set(f.Name, baseValues(f))
	}
	s.next, s.step = baseValues(baselib.NextFunction), baseValues(baselib.StepFunction)
	s.globalNext = s.globals.Get("next").(*lua.LFunction)
	for name, call := range map[string]func(vm *VM, L *lua.LState) int{
		"collectgarbage": func(vm *VM, L *lua.LState) int { return vm.gc.collectGarbage(L) },
		"gcinfo":         func(vm *VM, L *lua.LState) int { return vm.gc.info(L) },
		"load":           func(vm *VM, L *lua.LState) int { return vm.chunks.load(L) },
		"loadstring":     func(vm *VM, L *lua.LState) int { return vm.chunks.loadString(L) },
		"pcall":          (*VM).pcall,
		"xpcall":         (*VM).xpcall,
	} {
		s.globals.Set(name, method(call))
	}
	s.globals.Set("_VERSION", lua.LString(lua.LuaVersion))
	s.globals.Set("__redis__err__handler", s.handler)
	if slices.Contains(names.Globals(kind.server), "__server__err__handler") {
		s.globals.Set("__server__err__handler", s.handler)
	}
	if slices.Contains(names.Globals(kind.server), "getfenv") {
		for _, f := range baselib.OldFunctions() {
			s.globals.Set(f.Name, baseValues(f))
		}
	}
}

// addLibraries adds the libraries.
func (s *shared) addLibraries(kind sharedKind) {
	add := s.globals.Add
	if kind.tool {
		add = s.globals.AddFree
	}
	own := map[string]map[string]lua.LValue{
		"redis":     redisapi.Constants(kind.server),
		"table":     named(tablelib.Functions(), tableValues),
		"math":      named(mathlib.Functions(), mathValues),
		"coroutine": named(corolib.Functions(), coroutines),
		"os":        {"clock": method((*VM).clock)},
	}
	for name, fn := range named(redisapi.Functions(), redisValues) {
		own["redis"][name] = fn
	}
	for name, v := range mathlib.Constants() {
		own["math"][name] = v
	}
	s.call, s.raise = own["redis"]["call"].(*lua.LFunction), redisValues(redisapi.RaiseFunction)
	api := names.API(kind.server)
	for lib, fields := range names.Libraries(kind.server) {
		if tb := module(lib, kind.server); tb != nil {
			add(tb, lib)
			continue
		}
		as := []string{lib}
		switch {
		case lib == "redis":
			as = api
		case slices.Contains(api, lib):
			continue // another name of redis
		}
		tb := tables.New(0, libraryRoom[lib])
		for _, name := range fields {
			switch {
			case kind.functions && lib == "redis" && slices.Contains(notInFunctions, name):
			case own[lib][name] != nil:
				tables.SetString(tb, name, own[lib][name])
			case lib == "math" && name == "mod":
				tables.SetString(tb, name, tb.RawGetString("fmod"))
			}
		}
		add(tb, as...)
	}
}

// named returns the values of functions by their names.
func named[T any](functions []args.Function[T], value args.Maker[T]) map[string]lua.LValue {
	byName := map[string]lua.LValue{}
	for _, f := range functions {
		byName[f.Name] = value(f)
	}
	return byName
}

// module makes the table of a library that has its own package; nil for the others.
func module(name string, server servers.Server) *lua.LTable {
	switch name {
	case "bit":
		return bitop.Table(bitValues)
	case "cjson":
		return null.Table(cjsonValues, slices.Contains(names.Fields(name, server), cjson.ArrayTables))
	case "cmsgpack":
		tb := cmsgpack.Table(cmsgpackValues)
		if server.Kind() == servers.Valkey {
			tables.Replace(tb, "_COPYRIGHT", lua.LString(valkeyCopyright))
		}
		return tb
	case "string":
		return strlib.Table(stringValues)
	case "struct":
		return structlib.Table(structValues)
	}
	return nil
}

// valkeyCopyright is cmsgpack._COPYRIGHT in Valkey.
const valkeyCopyright = "Copyright (C) 2012, Redis Ltd."

// sharedKind is what the shared parts of VMs depend on.
type sharedKind struct {
	server    servers.Server
	functions bool
	tool      bool // the VM's code may change its libraries, so they are not shared
}

var sharedParts struct {
	sync.Mutex
	made map[sharedKind]*shared
}

// sharedFor returns the shared part of a VM. That of a tool is its own.
func sharedFor(opt *Options) *shared {
	p, kind := &sharedParts, sharedKind{opt.server, opt.Functions, opt.tool != nil}
	if kind.tool {
		return newShared(kind)
	}
	p.Lock()
	defer p.Unlock()
	s := p.made[kind]
	if s == nil {
		if p.made == nil {
			p.made = map[sharedKind]*shared{}
		}
		s = newShared(kind)
		p.made[kind] = s
	}
	return s
}
