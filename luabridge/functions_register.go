package luabridge

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

const functionExists = "Function already exists in the library"

// redisRegisterFunction is redis.register_function(name, callback), or the same with one table of
// named arguments.
func (vm *VM) redisRegisterFunction(L *lua.LState) int {
	if vm.making == nil {
		return vm.redis.Complain(L, vm.redis.Renamed("redis.register_function can only be called on FUNCTION LOAD command"))
	}
	f := &Function{library: vm.making}
	var problem string
	switch n := L.GetTop(); {
	case n < 1 || n > 2:
		problem = "wrong number of arguments to redis.register_function"
	case n == 1:
		problem = f.named(L.Get(1), vm.redis.Convert.Entries)
	default:
		problem = f.positional(L)
	}
	late := vm.opt.server.Has(servers.CheckedAfterLoad)
	if late {
		f.Description = args.CString(f.Description)
	}
	switch {
	case problem != "":
	case !late && !luatext.IsName(f.Name):
		problem = luatext.BadName
	case !late && slices.ContainsFunc(vm.making.Functions, func(g *Function) bool { return f.Name == g.Name }):
		problem = functionExists
	default:
		vm.making.Functions = append(vm.making.Functions, f)
		return 0
	}
	return vm.redis.Complain(L, vm.redis.Renamed(problem))
}

// callback sets the function that f calls.
func (f *Function) callback(fn *lua.LFunction) {
	f.script = Script{Source: f.library.Source, SHA: f.Name, Flags: f.Flags, fn: fn, gen: f.library.script.gen,
		compiledText: f.library.script.compiledText}
}

// positional reads the name and the callback from the stack.
func (f *Function) positional(L *lua.LState) (problem string) {
	name, ok := args.Text(L.Get(1))
	if !ok {
		return "first argument to redis.register_function must be a string"
	}
	fn, ok := L.Get(2).(*lua.LFunction)
	if !ok {
		return "second argument to redis.register_function must be a function"
	}
	f.Name = name
	f.callback(fn)
	return ""
}

// named reads a table of named arguments. entries returns its entries in the order of pairs.
func (f *Function) named(v lua.LValue, entries func(*lua.LTable) []tables.Entry) (problem string) {
	const of = " argument given to redis.register_function must be a "
	named, ok := v.(*lua.LTable)
	if !ok {
		return "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments)."
	}
	var fn *lua.LFunction
	hasName := false
	for _, e := range entries(named) {
		key, ok := args.Text(e.Key)
		if !ok {
			return "named argument key given to redis.register_function is not a string"
		}
		switch strings.ToLower(args.CString(key)) {
		case "function_name":
			if f.Name, ok = args.Text(e.Value); !ok {
				return "function_name" + of + "string"
			}
			hasName = true
		case "description":
			if f.Description, ok = args.Text(e.Value); !ok {
				return "description" + of + "string"
			}
			f.Described = true
		case "callback":
			if fn, ok = e.Value.(*lua.LFunction); !ok {
				return "callback" + of + "function"
			}
		case "flags":
			list, ok := e.Value.(*lua.LTable)
			if !ok {
				return "flags argument to redis.register_function must be a table representing function flags"
			}
			if !f.flags(list) {
				return "unknown flag given"
			}
		default:
			return "unknown argument given to redis.register_function"
		}
	}
	switch {
	case !hasName:
		return "redis.register_function must get a function name argument"
	case fn == nil:
		return "redis.register_function must get a callback argument"
	}
	f.callback(fn)
	return ""
}

// flags reads a list of flags up to its first hole.
func (f *Function) flags(list *lua.LTable) bool {
	for i := 1; ; i++ {
		v := tables.GetInt(list, i)
		if v == lua.LNil {
			return true
		}
		name, _ := args.Text(v)
		flag, ok := luatext.FlagNamed(strings.ToLower(args.CString(name)))
		if !ok {
			return false
		}
		f.Flags |= flag
	}
}
