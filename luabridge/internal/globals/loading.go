package globals

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
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
	"REDIS_VERSION_NUM", "REDIS_VERSION", "VALKEY_VERSION_NUM", "VALKEY_VERSION", "SERVER_NAME"}

// notInFunctions lists the globals that scripts have and functions do not have.
var notInFunctions = []string{"__server__err__handler", "__redis__err__handler", "KEYS", "ARGV"}

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
	l.shown = c.show(c.Get, notInFunctions...)
	g.shown = func() *lua.LTable { return l.shown }
	api := c.hashing.Use(tables.New(0, 0))
	redis := Real(c.Get("redis").(*lua.LTable))
	for _, name := range loadAPI {
		v := tables.Get(redis, lua.LString(name))
		if v == lua.LNil && name != "register_function" {
			continue // the server does not have it
		}
		switch name {
		case "register_function":
			v = register
		case "log":
			v = log
			fallthrough
		default:
			for _, library := range names.API(c.server) {
				l.env.RawSetString(alias(library, name), v)
			}
		}
		tables.SetString(api, name, v)
	}
	api.Metatable = metatable(missing, nil)
	seen := guard(api, c.refuse)
	seen.meta = c.shownMetatable(missing)
	for _, library := range names.API(c.server) {
		l.env.RawSetString(library, seen.standIn)
	}
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

// missing returns the name that Redis misses while a library is loaded: most libraries are missing
// themselves.
func (l *loading) missing(alias string) (name string, missed bool) {
	library, field, _ := strings.Cut(alias, ".")
	if l.env.RawGetString(library) != lua.LNil {
		return field, true
	}
	return library, true
}
