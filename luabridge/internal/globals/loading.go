package globals

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// loading is what the text of a library of functions sees while it is loaded.
type loading struct {
	env  *lua.LTable // its globals
	api  *lua.LTable // the library redis in env; functions may keep it
	meta *lua.LTable // the result of getmetatable(api)
	of   *lua.LTable // the metatable of every closure's globals; its __index is Env or env
}

// loadAPI lists the fields of the library redis while a library is loaded, in the order in which
// Redis adds them.
var loadAPI = []string{"register_function", "log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING",
	"REDIS_VERSION_NUM", "REDIS_VERSION"}

// notInFunctions lists the globals that scripts have and functions do not have.
var notInFunctions = []string{"__redis__err__handler", "KEYS", "ARGV"}

// ForFunctions turns the globals of scripts into those of libraries of functions, after
// [Globals.Close]. All closures of libraries have the same empty table as their environment. Its
// metatable leads to the globals or, while a text is loaded, to the few names that the text may
// use. register is redis.register_function there, and log is redis.log.
func (g *Globals) ForFunctions(register, log *lua.LFunction) {
	g.shown = tables.New(0, 2)
	for _, name := range order {
		if slices.Contains(notInFunctions, name) {
			g.Env.RawSetString(name, lua.LNil)
		} else {
			g.show(name)
		}
	}

	api := tables.New(0, 0)
	env := g.l.CreateTable(0, 16)
	redis := g.Real(g.Env.RawGetString("redis").(*lua.LTable))
	for _, name := range loadAPI {
		v := tables.Get(redis, lua.LString(name))
		switch name {
		case "register_function":
			v = register
		case "log":
			v = log
			fallthrough
		default:
			env.RawSetString(alias("redis", name), v)
		}
		tables.SetString(api, name, v)
	}
	g.loading = &loading{env: env, api: g.proxy(api)}
	env.RawSetString("redis", g.loading.api)
	missing := g.l.CreateTable(0, 1)
	missing.RawSetString("__index", g.l.NewFunction(g.missing))
	env.Metatable, api.Metatable = missing, missing
	shown := g.l.CreateTable(0, 1)
	shown.RawSetString("__index", missing.RawGetString("__index"))
	g.loading.meta = g.proxy(shown)

	g.loading.of = g.l.CreateTable(0, 2)
	g.loading.of.RawSetString("__index", g.Env)
	g.loading.of.RawSetString("__newindex", g.Refuse)
	empty := g.l.CreateTable(0, 0)
	empty.Metatable = g.loading.of
	g.l.Env = empty
}

// Load says whether the text of a library runs, which sees other globals than its functions. Caller
// must have called [Globals.ForFunctions].
func (g *Globals) Load(on bool) {
	env := g.Env
	if on {
		env = g.loading.env
	}
	g.loading.of.RawSetString("__index", env)
}

// missing handles a missing field of a library, by its alias. While a library is loaded, it returns
// the name that Redis misses: most libraries are missing themselves.
func (l *loading) missing(from lua.LValue, alias string) (name string, missed bool) {
	lib, field, _ := strings.Cut(alias, ".")
	switch {
	case from != l.env:
		return "", false
	case lib == "redis":
		return field, true
	}
	return lib, true
}
