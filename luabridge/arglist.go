package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
)

// argList is KEYS or ARGV. A script that only reads and sets elements cannot keep the table, so
// such scripts share one, and an element that is the same as in the run before stays boxed.
type argList struct {
	tb     *lua.LTable // nil: none to share
	values []lua.LValue
}

// Bounds of what an argList keeps alive between runs.
const (
	keptArgs = 64
	keptArg  = 256 // bytes
)

// give makes name in env a list of ss; escapes tells that the script may keep the table. It reports whether the
// global has changed, and not only its elements.
func (a *argList) give(b *boxes.Boxes, env *lua.LTable, name string, ss []string, escapes bool) (changed bool) {
	if escapes || a.tb == nil || !tables.IsArray(a.tb) || len(ss) > keptArgs {
		values := make([]lua.LValue, len(ss), tables.ArrayRoom(len(ss)))
		for i, s := range ss {
			values[i] = b.String(s)
		}
		tb := tables.NewArray(values)
		tables.Replace(env, name, tb)
		a.tb, a.values = tb, values
		if escapes || len(ss) > keptArgs {
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
	tables.SetArray(a.tb, a.values)
	return false
}

// release drops large arguments, and what a script has set, after a run.
func (a *argList) release() {
	for i, v := range a.values {
		if s, ok := v.(lua.LString); !ok || len(s) > keptArg {
			a.values[i] = lua.LString("")
		}
	}
}
