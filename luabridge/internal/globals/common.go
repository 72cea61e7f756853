package globals

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/internal/names"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// Common are the globals that all states of a kind share: of scripts, or of libraries of functions.
// Nobody changes them once they are closed. Globals that can be changed belong to one state; see
// [Common.CloseFree].
type Common struct {
	table   *lua.LTable    // the globals, aliases included; no script holds it
	refuse  *lua.LFunction // __newindex of tables that scripts cannot change
	missing *lua.LFunction // __index of the globals

	strings     *lua.LTable // the metatable of strings
	stringsMeta lua.LValue  // the result of getmetatable("")
	globalsMeta lua.LValue  // the result of getmetatable(_G)

	server  servers.Server
	hashing tables.Hashing
	loading *loading // for functions; nil for scripts
	free    bool     // the state may change everything; see [Common.CloseFree]
}

// NewCommon returns empty globals of a server. refuse raises the error of changing a table that
// scripts cannot change. missing calls [Globals.Missing].
func NewCommon(server servers.Server, refuse, missing *lua.LFunction) *Common {
	hashing := HashingOf(server)
	return &Common{table: hashing.Use(&lua.LTable{Metatable: lua.LNil}), refuse: refuse, missing: missing, server: server, hashing: hashing}
}

// HashingOf returns the hashing of the tables of a server's scripts.
func HashingOf(s servers.Server) tables.Hashing {
	if s.Has(servers.MurmurStrings) {
		return tables.MurmurHashing
	}
	return tables.OwnHashing
}

// Set adds a global.
func (c *Common) Set(name string, v lua.LValue) { c.table.RawSetString(name, v) }

// Get returns a global, or LNil.
func (c *Common) Get(name string) lua.LValue { return c.table.RawGetString(name) }

// Guard makes a table one that scripts cannot change. They hold its stand-in.
func (c *Common) Guard(tb *lua.LTable) { guard(tb, c.refuse) }

// Refuse returns the __newindex of tables that scripts cannot change.
func (c *Common) Refuse() *lua.LFunction { return c.refuse }

// Add adds a library: a stand-in of tb under the library's names, and an alias of each field under
// each of them. Nobody has walked over tb.
func (c *Common) Add(tb *lua.LTable, names ...string) {
	c.hashing.Use(tb)
	standIn := guard(tb, c.refuse).standIn
	for _, name := range names {
		c.Set(name, standIn)
		for _, e := range tables.Entries(tb, nil) {
			c.Set(alias(name, e.Key.String()), e.Value)
		}
	}
	tables.Freeze(tb)
}

// Close is called when everything that scripts share has been added.
func (c *Common) Close() {
	c.close()
	tables.Freeze(c.table)
}

// AddFree adds a library that can be changed, for [Common.CloseFree].
func (c *Common) AddFree(tb *lua.LTable, names ...string) {
	c.hashing.Use(tb)
	for _, name := range names {
		c.Set(name, tb)
	}
}

// CloseFree is called in place of [Common.Close] for globals that can be changed, as those of Lua
// itself: _G is the table that holds them, and missing names are nil. One state only may use them.
func (c *Common) CloseFree() {
	c.free = true
	c.strings = metatable(c.Get("string"), nil)
	c.stringsMeta = c.strings
	c.Set("_G", c.table)
}

func (c *Common) close() {
	library := c.Get("string").(*lua.LTable)
	c.strings = metatable(Real(library), nil) // the machine indexes strings with it
	c.stringsMeta = c.shownMetatable(library)
	c.globalsMeta = c.shownMetatable(c.missing)
	c.table.Metatable = metatable(c.missing, c.refuse)
}

// shownMetatable returns the stand-in of a metatable with the field __index. Scripts of all states
// may walk over it.
func (c *Common) shownMetatable(index lua.LValue) *lua.LTable {
	mt := metatable(index, nil)
	g := guard(mt, c.refuse)
	tables.Freeze(mt)
	return g.standIn
}

// show returns the table that pairs(_G) walks over. value returns a global, or LNil for one that is
// set later.
func (c *Common) show(value func(name string) lua.LValue, except ...string) *lua.LTable {
	shown := c.hashing.Use(tables.New(0, 2))
	for name, removed := range names.Added(c.server) {
		if slices.Contains(except, name) {
			continue
		}
		if removed {
			tables.SetString(shown, name, lua.LNil)
		} else if v := value(name); v != lua.LNil {
			tables.SetString(shown, name, v)
		} else {
			tables.SetString(shown, name, lua.LFalse)
		}
	}
	return shown
}
