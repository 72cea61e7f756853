package globals

import (
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Names among the globals that no script can write; see [Environment].
const (
	aliasPrefix = "\x00"  // begins the alias of a field, for example "\x00redis.call"
	newGlobal   = "\x00=" // never exists
)

func alias(library, field string) string { return aliasPrefix + library + "." + field }

// Globals are the globals of one Lua state.
type Globals struct {
	// Env is the table that holds them; what all states share is behind it. No script holds it.
	Env *lua.LTable
	// Value is the value of _G.
	Value *lua.LTable

	common *Common
	fail   func(L *lua.LState, format string, args ...any) int
	shown  *lua.LTable // the table that pairs(_G) walks over; nil until it is needed
	of     *lua.LTable // for functions: the metatable of every closure's globals, which Load changes
}

// Open puts globals in place of L's. fail raises a message with the position of the caller of the
// running function, and does not return.
func (g *Globals) Open(L *lua.LState, c *Common, fail func(L *lua.LState, format string, args ...any) int) {
	*g = Globals{common: c, fail: fail}
	L.SetMetatable(lua.LString(""), c.strings)
	if c.free {
		g.Env, g.Value = c.table, c.table
		L.Env, L.G.Global = c.table, c.table
		return
	}
	if c.loading != nil {
		g.Env, g.Value = c.table, c.Get("_G").(*lua.LTable)
		// All closures of libraries have the same empty table as their environment. Its metatable
		// leads to the globals or, while a text is loaded, to the few names that the text may use.
		g.of = metatable(g.Env, c.refuse)
		L.Env, L.G.Global = &lua.LTable{Metatable: g.of}, g.Env
		return
	}
	g.Env = tables.NewObject(3)
	g.Env.Metatable = metatable(c.table, c.refuse)
	mark := guard(g.Env, c.refuse)
	mark.meta, mark.shown = c.globalsMeta, g.show
	g.Value = mark.standIn
	tables.SetString(g.Env, "_G", g.Value)
	empty := c.hashing.Use(&lua.LTable{Metatable: lua.LNil})
	tables.SetString(g.Env, "KEYS", empty)
	tables.SetString(g.Env, "ARGV", empty)
	L.Env, L.G.Global = g.Env, g.Env
}

// Get returns a global, or LNil.
func (g *Globals) Get(name string) lua.LValue {
	if v := g.Env.RawGetString(name); v != lua.LNil {
		return v
	}
	return g.common.Get(name)
}

// ReplaceGiven makes tb the value of KEYS or ARGV and returns the value before.
func (g *Globals) ReplaceGiven(name string, tb *lua.LTable) (before lua.LValue) {
	before = g.Env.RawGetString(name)
	tables.Replace(g.Env, name, tb)
	if g.shown != nil {
		tables.SetString(g.shown, name, tb)
	}
	return before
}

// show returns the table that pairs(_G) walks over.
func (g *Globals) show() *lua.LTable {
	if g.shown == nil {
		g.shown = g.common.show(g.Get)
	}
	for _, name := range []string{"KEYS", "ARGV"} { // the others never change
		tables.SetString(g.shown, name, g.Env.RawGetString(name))
	}
	return g.shown
}

// IsAlias reports whether a key of the globals is an alias.
func IsAlias(k lua.LValue) bool {
	s, ok := k.(lua.LString)
	return ok && s != "" && s[0] == aliasPrefix[0]
}

// Tables returns the tables among the globals that scripts cannot change, and those that
// getmetatable returns for them.
func (g *Globals) Tables() []*lua.LTable {
	if g.common.free {
		return nil
	}
	found := []*lua.LTable{g.Value}
	for _, v := range []lua.LValue{g.common.stringsMeta, g.common.globalsMeta} {
		found = append(found, v.(*lua.LTable))
	}
	for library := range names.Libraries(g.common.server) {
		if tb, ok := g.Get(library).(*lua.LTable); ok {
			found = append(found, tb)
		}
	}
	return found
}

// Metatable returns what getmetatable returns for a string or a stand-in, and whether v is one.
func (g *Globals) Metatable(v lua.LValue) (mt lua.LValue, ok bool) {
	switch v := v.(type) {
	case lua.LString:
		return g.common.stringsMeta, true
	case *lua.LTable:
		if mark := markOf(v); mark != nil {
			return mark.meta, true
		}
	}
	return nil, false
}

// Missing is the __index of the globals, and of the library redis while a library of functions is
// loaded.
func (g *Globals) Missing(L *lua.LState) int {
	if L.GetTop() != 2 {
		return g.fail(L, "Wrong number of arguments to luaProtectedTableError")
	}
	name, ok := args.Text(L.Get(2))
	if !ok {
		return g.fail(L, "Second argument to luaProtectedTableError must be a string or number")
	}
	if alias, ok := strings.CutPrefix(name, aliasPrefix); ok {
		if name, ok = g.common.missed(L.Get(1), alias); !ok {
			L.Push(lua.LNil)
			return 1
		}
	}
	return g.fail(L, "Script attempted to access nonexistent global variable '%s'", args.CString(name))
}

// missed handles a missing field of a library, by its alias. It returns the name that the server
// misses: that of the library, if it has no such library. A missing field is nil.
func (c *Common) missed(from lua.LValue, alias string) (name string, missed bool) {
	if c.loading != nil && from == c.loading.env {
		return c.loading.missing(alias)
	}
	library, _, _ := strings.Cut(alias, ".")
	return library, c.Get(library) == lua.LNil
}

// Names returns what a script can reach from the globals, as "name" and "library.name", sorted.
func (g *Globals) Names() []string {
	var out []string
	for _, e := range tables.Entries(Shown(g.Value), nil) {
		name := e.Key.String()
		out = append(out, name)
		if tb, ok := e.Value.(*lua.LTable); ok && tb != g.Value {
			for _, field := range tables.Entries(Shown(tb), nil) {
				out = append(out, name+"."+field.Key.String())
			}
		}
	}
	sort.Strings(out)
	return out
}

// Functions returns the names of the functions of the libraries, such as "redis.call", and of the
// global ones.
func (g *Globals) Functions() map[*lua.LFunction]string {
	found := map[*lua.LFunction]string{}
	g.common.table.ForEach(func(k, v lua.LValue) {
		name, ok := k.(lua.LString)
		fn, ok2 := v.(*lua.LFunction)
		if ok && ok2 && (found[fn] == "" || !IsAlias(k)) {
			found[fn] = strings.TrimPrefix(string(name), aliasPrefix)
		}
	})
	return found
}
