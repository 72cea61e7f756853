package globals

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// loading is what the text of a library of functions sees while it is loaded.
type loading struct {
	env   *lua.LTable // its globals
	shown *lua.LTable // what pairs(_G) walks over when the library has been loaded
}

// loadAPI lists the fields of the library redis while a library is loaded, in the order in which
// Redis adds them.
var loadAPI = []string{"register_function", "log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING",
	"REDIS_VERSION_NUM", "REDIS_VERSION"}

// notInFunctions lists the globals that scripts have and functions do not have.
var notInFunctions = []string{"__redis__err__handler", "KEYS", "ARGV"}

// CloseForFunctions is [Common.Close] for libraries of functions. While a text is loaded, it may
// use only a few names. register is redis.register_function there, log is redis.log, and missing is
// another function like that of [NewCommon], the __index of what the text sees.
func (c *Common) CloseForFunctions(register, log, missing *lua.LFunction) {
	c.close()
	for _, name := range notInFunctions {
		c.Set(name, lua.LNil)
	}
	g := guard(c.table, c.refuse)
	g.meta = c.globalsMeta
	c.Set("_G", g.standIn)

	l := &loading{env: &lua.LTable{Metatable: lua.LNil}}
	l.shown = show(c.Get, notInFunctions...)
	g.shown = func() *lua.LTable { return l.shown }
	api := tables.New(0, 0)
	redis := Real(c.Get("redis").(*lua.LTable))
	for _, name := range loadAPI {
		v := tables.Get(redis, lua.LString(name))
		switch name {
		case "register_function":
			v = register
		case "log":
			v = log
			fallthrough
		default:
			l.env.RawSetString(alias("redis", name), v)
		}
		tables.SetString(api, name, v)
	}
	api.Metatable = metatable(missing, nil)
	seen := guard(api, c.refuse)
	seen.meta = c.shownMetatable(missing)
	l.env.RawSetString("redis", seen.standIn)
	l.env.Metatable = metatable(missing, nil)
	for _, tb := range []*lua.LTable{c.table, l.shown, api, l.env} {
		tables.Freeze(tb)
	}
	c.loading = l
}

// Load says whether the text of a library runs, which sees other globals than its functions. The
// globals must be those of functions.
func (g *Globals) Load(on bool) {
	env := g.Env
	if on {
		env = g.common.loading.env
	}
	tables.Replace(g.of, "__index", env)
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
