package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// argList is KEYS or ARGV. Scripts that only read and set elements cannot keep the table, so they
// share one. An element that is the same as in the run before is not boxed again.
type argList struct {
	tb     *lua.LTable // nil: there is none to share
	values []lua.LValue
}

// Limits of what an argList keeps between runs.
const (
	keptArgs = 64
	keptArg  = 256 // bytes
)

// give makes the global name in env a list of ss. kept reports whether the script may keep the
// table. give reports whether the global itself has changed, not only its elements.
func (a *argList) give(h tables.Hashing, b *boxes.Boxes, env *lua.LTable, name string, ss []string, kept bool) (changed bool) {
	if kept || a.tb == nil || !tables.IsArray(a.tb) || len(ss) > keptArgs {
		values := make([]lua.LValue, len(ss), h.Room(len(ss)))
		for i, s := range ss {
			values[i] = b.String(s)
		}
		tb := h.Array(values)
		tables.Replace(env, name, tb)
		a.tb, a.values = tb, values
		if kept || len(ss) > keptArgs {
			a.tb, a.values = nil, nil
		}
		return true
	}
	n := len(a.values)
	for i, s := range ss {
		switch {
		case i >= n:
			a.values = append(a.values, b.String(s))
		case a.values[i] != lua.LString(s):
			a.values[i] = b.String(s)
		}
	}
	clear(a.values[min(len(ss), n):n])
	a.values = a.values[:len(ss)]
	tables.SetArray(a.tb, a.values, h.Room(len(ss)))
	return false
}

// release drops large arguments, and whatever the script has set, after a run of which the list was
// given. If the table cannot be given again, it stops being the global name.
func (a *argList) release(g *globals.Globals, m *machine.Machine, name string) {
	if a.tb == nil || !tables.IsArray(a.tb) {
		m.ForgetGlobal(g.ReplaceGiven(name, m.Hashing.Use(&lua.LTable{Metatable: lua.LNil})))
		a.tb, a.values = nil, nil
		return
	}
	for i, v := range a.values {
		if s, ok := v.(lua.LString); !ok || len(s) > keptArg {
			a.values[i] = lua.LString("")
		}
	}
	tables.SetArray(a.tb, a.values, m.Hashing.Room(len(a.values))) // the script may have made it longer
}
