package globals

import (
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
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
	// Env is the table that holds them, aliases included. No script holds it.
	Env *lua.LTable
	// Value is the value of _G, set by [Globals.Close].
	Value *lua.LTable
	// Refuse is the __newindex of tables that scripts cannot change. It raises [args.ReadOnly].
	Refuse *lua.LFunction

	l       *lua.LState
	fail    func(L *lua.LState, format string, args ...any) int
	proxies map[*lua.LTable]*lua.LTable // metatable of a stand-in: the table behind it
	shown   *lua.LTable                 // the table that pairs(_G) walks over

	shownMeta   *lua.LTable // the result of getmetatable(_G)
	stringsMeta *lua.LTable // the result of getmetatable("")

	loading *loading // in a state for functions; nil in one for scripts
	free    bool     // scripts may change everything; see [Globals.CloseFree]
}

// Open makes g empty globals and puts them in place of L's. fail raises a message with the position
// of the caller of the running function, and does not return.
func (g *Globals) Open(L *lua.LState, fail func(L *lua.LState, format string, args ...any) int) {
	*g = Globals{Env: L.CreateTable(0, 256), l: L, fail: fail, proxies: map[*lua.LTable]*lua.LTable{}}
	g.Refuse = L.NewFunction(func(L *lua.LState) int { return fail(L, args.ReadOnly) })
	L.Env, L.G.Global = g.Env, g.Env
}

// Add adds a library: a stand-in of tb under the library's name, and an alias of each field.
func (g *Globals) Add(name string, tb *lua.LTable) {
	g.Env.RawSetString(name, g.proxy(tb))
	for _, e := range tables.Entries(tb, nil) {
		g.Env.RawSetString(alias(name, e.Key.String()), e.Value)
	}
}

// Close is called when everything has been added, except KEYS and ARGV. From then on scripts cannot
// change the globals, and missing names are errors.
func (g *Globals) Close() {
	g.closeStrings()
	mt := g.l.CreateTable(0, 2)
	mt.RawSetString("__index", g.l.NewFunction(g.missing))
	mt.RawSetString("__newindex", g.Refuse)
	g.Env.Metatable = mt
	shown := g.l.CreateTable(0, 1)
	shown.RawSetString("__index", mt.RawGetString("__index"))
	g.shownMeta = g.proxy(shown)
	g.Value = g.proxy(g.Env)
	g.Env.RawSetString("_G", g.Value)
	empty := g.l.CreateTable(0, 0)
	g.Env.RawSetString("KEYS", empty)
	g.Env.RawSetString("ARGV", empty)
	g.shown = tables.New(0, 2)
	for _, name := range order {
		g.show(name)
	}
}

// AddFree adds a library that can be changed, for [Globals.CloseFree].
func (g *Globals) AddFree(name string, tb *lua.LTable) { g.Env.RawSetString(name, tb) }

// CloseFree is called in place of [Globals.Close] for globals that can be changed, as those of Lua
// itself: _G is the table that holds them, and missing names are nil.
func (g *Globals) CloseFree() {
	g.free = true
	mt := g.l.CreateTable(0, 1)
	mt.RawSetString("__index", g.Env.RawGetString("string"))
	g.l.SetMetatable(lua.LString(""), mt)
	g.stringsMeta, g.Value = mt, g.Env
	g.Env.RawSetString("_G", g.Env)
}

// closeStrings makes the methods of strings those of the library string.
func (g *Globals) closeStrings() {
	library := g.Env.RawGetString("string").(*lua.LTable)
	mt := g.l.CreateTable(0, 1)
	mt.RawSetString("__index", g.Real(library)) // the machine indexes strings with it
	g.l.SetMetatable(lua.LString(""), mt)
	shown := g.l.CreateTable(0, 1)
	shown.RawSetString("__index", library)
	g.stringsMeta = g.proxy(shown)
}

// show gives a name of order its place in the table that pairs(_G) walks over.
func (g *Globals) show(name string) {
	if refused, ok := strings.CutPrefix(name, "-"); ok {
		tables.SetString(g.shown, refused, lua.LNil)
	} else if v := g.Env.RawGetString(name); v != lua.LNil {
		tables.SetString(g.shown, name, v)
	} else { // set later
		tables.SetString(g.shown, name, lua.LFalse)
	}
}

// proxy returns the stand-in of a table.
func (g *Globals) proxy(tb *lua.LTable) *lua.LTable {
	p, mt := g.l.CreateTable(0, 0), g.l.CreateTable(0, 2)
	mt.RawSetString("__index", tb)
	mt.RawSetString("__newindex", g.Refuse)
	p.Metatable = mt
	g.proxies[mt] = tb
	return p
}

// Real returns the table behind a stand-in, and other tables as they are.
func (g *Globals) Real(tb *lua.LTable) *lua.LTable {
	if mt, ok := tb.Metatable.(*lua.LTable); ok {
		if real, ok := g.proxies[mt]; ok {
			return real
		}
	}
	return tb
}

// Shown returns the table that walks over tb see. It is that of [Globals.Real], except that the
// globals come without aliases and in Redis's order.
func (g *Globals) Shown(tb *lua.LTable) *lua.LTable {
	real := g.Real(tb)
	if real != g.Env || g.free {
		return real
	}
	if g.loading == nil {
		for _, name := range []string{"KEYS", "ARGV"} { // the others never change
			tables.SetString(g.shown, name, g.Env.RawGetString(name))
		}
	}
	return g.shown
}

// Hidden reports whether a key of a table is an alias that scripts must not see.
func (g *Globals) Hidden(tb *lua.LTable, key lua.LValue) bool { return tb == g.Env && IsAlias(key) }

// IsAlias reports whether a key of the globals is an alias.
func IsAlias(k lua.LValue) bool {
	s, ok := k.(lua.LString)
	return ok && s != "" && s[0] == aliasPrefix[0]
}

// Metatable returns what getmetatable returns for a string or a stand-in, and whether v is one.
func (g *Globals) Metatable(v lua.LValue) (mt lua.LValue, ok bool) {
	switch v := v.(type) {
	case lua.LString:
		return g.stringsMeta, true
	case *lua.LTable:
		switch {
		case g.free:
			return nil, false
		case v == g.Value:
			return g.shownMeta, true
		case g.loading != nil && v == g.loading.api:
			return g.loading.meta, true
		case g.Real(v) != v:
			return lua.LNil, true
		}
	}
	return nil, false
}

// missing is the __index of the globals, and of the library redis while a library of functions is
// loaded.
func (g *Globals) missing(L *lua.LState) int {
	if L.GetTop() != 2 {
		return g.fail(L, "Wrong number of arguments to luaProtectedTableError")
	}
	name, ok := args.Text(L.Get(2))
	if !ok {
		return g.fail(L, "Second argument to luaProtectedTableError must be a string or number")
	}
	if alias, ok := strings.CutPrefix(name, aliasPrefix); ok && g.loading != nil {
		if name, ok = g.loading.missing(L.Get(1), alias); !ok {
			L.Push(lua.LNil)
			return 1
		}
	}
	return g.fail(L, "Script attempted to access nonexistent global variable '%s'", args.CString(name))
}

// Names returns what a script can reach from the globals, as "name" and "library.name", sorted.
func (g *Globals) Names() []string {
	var out []string
	for _, e := range tables.Entries(g.Shown(g.Value), nil) {
		name := e.Key.String()
		out = append(out, name)
		if tb, ok := e.Value.(*lua.LTable); ok && tb != g.Value {
			for _, field := range tables.Entries(g.Shown(tb), nil) {
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
	names := map[*lua.LFunction]string{}
	g.Env.ForEach(func(k, v lua.LValue) {
		name, ok := k.(lua.LString)
		fn, ok2 := v.(*lua.LFunction)
		if ok && ok2 && (names[fn] == "" || !IsAlias(k)) {
			names[fn] = strings.TrimPrefix(string(name), aliasPrefix)
		}
	})
	return names
}
